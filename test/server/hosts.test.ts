import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRaw, startTestServer, type TestServer } from "../support/test-server.ts";

/** Every kind of path: calls, WebSockets, health, metrics, documents, the page, and what is not served. */
const PATHS = ["/rpc", "/ws", "/livez", "/readyz", "/healthz", "/metrics", "/openrpc.json", "/", "/none"];

const UPGRADE = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    allowed_hosts: ["contextd.example.org", "*.cluster.local"],
    allowed_origins: ["https://grafana.example.org"],
    limits: { header_timeout_ms: 10_000 },
  });
});
afterAll(() => server.close());

/** The status that a path answers to these headers; 101 for a WebSocket that was opened. */
async function statusOf(path: string, headers: readonly string[]): Promise<number> {
  if (path === "/ws") {
    const { request } = await import("node:http");
    const entries = [...headers, ...UPGRADE].map((line) => [
      line.slice(0, line.indexOf(":")),
      line.slice(line.indexOf(":") + 1).trim(),
    ]);
    return new Promise((resolve, reject) => {
      const upgrading = request({ port: server.port, path, headers: Object.fromEntries(entries), setHost: false });
      upgrading.on("upgrade", (_response, socket) => {
        socket.destroy();
        resolve(101);
      });
      upgrading.on("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      upgrading.on("error", reject).end();
    });
  }
  const call = { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"echo"}' };
  const json = path === "/rpc" ? ["Content-Type: application/json"] : [];
  return (await sendRaw(server.port, { path, headers: [...headers, ...json], ...(path === "/rpc" ? call : {}) }))
    .status;
}

const SERVED: Readonly<Record<string, number>> = { "/ws": 101, "/": 404, "/none": 404 };
const served = (path: string): number => SERVED[path] ?? 200;

describe.each(PATHS)("%s", (path) => {
  it.each([
    ["localhost"],
    ["LOCALHOST:7420"],
    ["127.0.0.1"],
    ["127.0.0.1:80"],
    ["[::1]:7420"],
    ["contextd.example.org"],
    ["contextd.example.org:443"],
    ["a.b.cluster.local:7420"],
  ])("is served under the Host %s", async (host) => {
    expect(await statusOf(path, [`Host: ${host}`])).toBe(served(path));
  });

  it.each([
    ["evil.example"],
    ["localhost.evil.example"],
    ["evil.example:7420"],
    ["127.0.0.1.evil.example"],
    ["192.168.1.1"],
    ["127.0.0.2"],
    ["0.0.0.0"],
    ["[::2]"],
    [".cluster.local"],
    ["cluster.local"],
    ["localhost@evil.example"],
    [""],
  ])("answers 403 to the Host %j", async (host) => {
    expect(await statusOf(path, [`Host: ${host}`])).toBe(403);
  });

  it.each([["http://localhost:7420"], ["HTTP://LOCALHOST:7420"], ["https://grafana.example.org"]])(
    "is served to a page of %s",
    async (origin) => {
      expect(await statusOf(path, ["Host: localhost:7420", `Origin: ${origin}`])).toBe(served(path));
    },
  );

  it.each([
    ["http://evil.example"],
    ["http://localhost"],
    ["http://localhost:3000"],
    ["http://localhost:7420.evil.example"],
    ["http://127.0.0.1:7420"],
    ["https://grafana.example.org.evil.example"],
    ["http://grafana.example.org"],
    ["null"],
    ["file://"],
    ["chrome-extension://abcdef"],
    [""],
  ])("answers 403 to a page of %j", async (origin) => {
    expect(await statusOf(path, ["Host: localhost:7420", `Origin: ${origin}`])).toBe(403);
  });
});

describe("a Host", () => {
  it("given twice, or not at all, is a bad request", async () => {
    expect(await statusOf("/livez", ["Host: localhost", "Host: localhost"])).toBe(400);
    expect(await statusOf("/livez", ["X: 1"])).toBe(400);
  });

  it("that is foreign is refused before its token is looked at, and its answer tells the cure and not the name", async () => {
    const answer = await sendRaw(server.port, { path: "/healthz", headers: ["Host: evil.example"] });
    expect(JSON.parse(answer.body).error).toMatchObject({ reason: "foreign_host" });
    expect(answer.body).toContain("allowed_hosts");
    expect(answer.body).not.toContain("evil");
  });

  it("may leave out the port that its page's scheme implies", async () => {
    expect(await statusOf("/livez", ["Host: localhost:80", "Origin: http://localhost"])).toBe(200);
    expect(await statusOf("/livez", ["Host: contextd.example.org", "Origin: https://contextd.example.org"])).toBe(200);
    expect(await statusOf("/livez", ["Host: contextd.example.org:443", "Origin: https://contextd.example.org"])).toBe(
      200,
    );
  });
});

describe("a server on every address", () => {
  it("is served under the address that was connected to, and no other", async () => {
    const everywhere = await startTestServer({ host: "0.0.0.0", dangerously_listen_without_auth: true });
    try {
      const ask = (host: string) => sendRaw(everywhere.port, { path: "/livez", headers: [`Host: ${host}`] });
      expect((await ask("127.0.0.1:1")).status).toBe(200);
      expect((await ask("10.1.2.3")).status).toBe(403);
      expect((await ask("evil.example")).status).toBe(403);
    } finally {
      await everywhere.close();
    }
  });
});
