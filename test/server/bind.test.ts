import { describe, expect, it } from "vitest";
import { isLoopback } from "../../src/config/loopback.ts";
import { assertSafeBind } from "../../src/server/bind.ts";
import { SetupError } from "../../src/server/options.ts";
import { startTestServer } from "../support/test-server.ts";

const LOOPBACK = ["127.0.0.1", "127.8.9.1", "localhost", "LocalHost", "::1", "[::1]", "::ffff:127.0.0.1"];
const ELSEWHERE = [
  "0.0.0.0",
  "::",
  "",
  "10.0.0.5",
  "::ffff:10.0.0.5",
  "fe80::1",
  "example.org",
  "localhost.example.org",
  "127.1",
  "0",
];

describe.each([...LOOPBACK, ...ELSEWHERE])("listening on %j", (host) => {
  const loopback = LOOPBACK.includes(host);
  const options = (tokens: boolean, override: boolean, tls: boolean) => ({
    host,
    auth: { tokens_file: tokens ? "tokens.yaml" : null },
    tls: { cert_file: tls ? "cert.pem" : null, key_file: tls ? "key.pem" : null },
    dangerously_listen_without_auth: override,
  });

  it(`is ${loopback ? "" : "not "}the loopback`, () => {
    expect(isLoopback(host)).toBe(loopback);
  });

  it(`without tokens is ${loopback ? "fine" : "refused"}`, () => {
    for (const tls of [false, true]) {
      if (loopback) expect(assertSafeBind(options(false, false, tls))).toEqual([]);
      else expect(() => assertSafeBind(options(false, false, tls))).toThrow(SetupError);
    }
  });

  it("without tokens by the flag of the ugly name is warned of", () => {
    const warnings = assertSafeBind(options(false, true, false));
    expect(warnings).toHaveLength(loopback ? 0 : 1);
    if (!loopback) expect(warnings[0]).toContain("WITHOUT AUTHENTICATION");
  });

  it("with tokens is fine, with a warning where they cross the network in clear", () => {
    expect(assertSafeBind(options(true, false, true))).toEqual([]);
    expect(assertSafeBind(options(true, false, false))).toHaveLength(loopback ? 0 : 1);
  });
});

describe("starting", () => {
  it("off the loopback without tokens is refused before anything listens", async () => {
    await expect(startTestServer({ host: "0.0.0.0" })).rejects.toThrow(/tokens_file/);
  });

  it("with half of TLS is refused", async () => {
    await expect(startTestServer({ tls: { cert_file: "cert.pem", key_file: null } })).rejects.toThrow(/key_file/);
  });

  it("with a certificate that is not there names it", async () => {
    await expect(startTestServer({ tls: { cert_file: "/no/cert.pem", key_file: "/no/key.pem" } })).rejects.toThrow(
      /ENOENT/,
    );
  });

  it("on a port that is taken fails with the system's error", async () => {
    const first = await startTestServer();
    await expect(startTestServer({ port: first.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await first.close();
  });

  it("logs each warning", async () => {
    const server = await startTestServer({ host: "0.0.0.0", dangerously_listen_without_auth: true });
    expect(server.log.lines[0]).toMatchObject({ level: "warn", message: expect.stringContaining("WITHOUT AUTH") });
    await server.close();
  });
});
