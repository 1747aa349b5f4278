import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Authenticator, BEARER_PROTOCOL } from "../../src/server/auth.ts";
import { digestOf, readTokenEntries, readTokensFile } from "../../src/server/tokens.ts";
import { RecordingLog } from "../support/recording-log.ts";

const token = () => randomBytes(24).toString("base64url");
const entry = (value: string, more: object = {}) => ({
  name: "ci",
  tenant: "acme",
  scopes: ["agent"],
  token: value,
  ...more,
});
const reasonOf = (action: () => unknown) => {
  try {
    action();
  } catch (error) {
    return (error as { reason?: string }).reason;
  }
  return null;
};

describe("the authenticator", () => {
  const [first, second] = [token(), token()];
  const authenticator = new Authenticator(
    readTokenEntries([
      entry(first),
      { name: "ops", tenant: "acme", scopes: ["operator", "metrics"], token_sha256: digestOf(second).toString("hex") },
    ]),
  );

  it("knows a token by itself or by its SHA-256", () => {
    expect(authenticator.authenticate(`Bearer ${first}`)).toMatchObject({ name: "ci", tenant: "acme" });
    expect([...authenticator.authenticate(`bearer  ${second}`).scopes]).toEqual(["operator", "metrics"]);
  });

  it.each([
    ["nothing", undefined],
    ["nothing after Bearer", "Bearer"],
    ["another scheme", `Basic ${first}`],
    ["an unknown token", `Bearer ${token()}`],
    ["a prefix", `Bearer ${first.slice(0, -1)}`],
    ["a longer one", `Bearer ${first}a`],
    ["the digest itself", `Bearer ${digestOf(first).toString("hex")}`],
    ["two tokens", `Bearer ${first} ${second}`],
    ["a list", `Bearer ${first}, Bearer ${second}`],
    ["the other case", `Bearer ${first.toUpperCase()}`],
  ])("refuses %s", (_name, header) => {
    expect(reasonOf(() => authenticator.authenticate(header))).toBe("unauthorized");
  });

  it("never says the token in an error", () => {
    const canary = `canary${token()}`;
    try {
      authenticator.authenticate(`Bearer ${canary}`);
    } catch (error) {
      expect(String((error as Error).stack)).not.toContain(canary);
      return;
    }
    throw new Error("it was taken");
  });

  it("takes a WebSocket's token from its subprotocols, the header first", () => {
    const offered = `contextd.v1, ${BEARER_PROTOCOL}${first}`;
    expect(authenticator.authenticateUpgrade(undefined, offered).name).toBe("ci");
    expect(authenticator.authenticateUpgrade(`Bearer ${second}`, offered).name).toBe("ops");
    expect(reasonOf(() => authenticator.authenticateUpgrade("Bearer wrong", offered))).toBe("unauthorized");
    expect(reasonOf(() => authenticator.authenticateUpgrade(undefined, "contextd.v1"))).toBe("unauthorized");
    expect(reasonOf(() => authenticator.authenticateUpgrade(undefined, undefined))).toBe("unauthorized");
  });

  it("rotates with overlap, and keeps the principals that did not change", () => {
    const [old, next] = [token(), token()];
    const rotating = new Authenticator(readTokenEntries([entry(old)]));
    const before = rotating.authenticate(`Bearer ${old}`);
    rotating.replace(readTokenEntries([entry(old), entry(next)]));
    expect(rotating.authenticate(`Bearer ${old}`)).toBe(before);
    expect(rotating.authenticate(`Bearer ${next}`)).toMatchObject({ name: "ci", tenant: "acme" });
    rotating.replace(readTokenEntries([entry(next)]));
    expect(reasonOf(() => rotating.authenticate(`Bearer ${old}`))).toBe("unauthorized");
    expect(rotating.stillHolds(before)).toBe(false);
    rotating.replace(readTokenEntries([entry(next, { scopes: ["operator"] })]));
    expect([...rotating.authenticate(`Bearer ${next}`).scopes]).toEqual(["operator"]);
  });

  it("without tokens lets everybody be the one tenant there is", () => {
    const open = new Authenticator(null);
    expect(open.required).toBe(false);
    expect(open.authenticate(undefined)).toMatchObject({ tenant: "default" });
    expect(open.authenticate("Bearer whatever").scopes.has("admin")).toBe(true);
    expect(open.tenants).toBe(1);
  });
});

describe("a tokens file", () => {
  it.each([
    ["not a list", "tokens", /the top/],
    ["an empty list", [], /the top/],
    ["no name", [{ tenant: "a", scopes: ["agent"], token: token() }], /entry 1, name/],
    ["a tenant with a slash", [entry(token(), { tenant: "a/b" })], /entry 1, tenant/],
    ["an unknown scope", [entry(token(), { scopes: ["root"] })], /entry 1, scopes, entry 1.*"operator"/],
    ["no scope", [entry(token(), { scopes: [] })], /scopes/],
    ["both forms of a token", [entry(token(), { token_sha256: "0".repeat(64) })], /exactly one/],
    ["no token", [{ name: "a", tenant: "a", scopes: ["agent"] }], /exactly one/],
    ["a digest that is none", [{ name: "a", tenant: "a", scopes: ["agent"], token_sha256: "abc" }], /token_sha256/],
    ["a short token", [entry("hunter2")], /too weak/],
    ["a long token of one letter", [entry("a".repeat(64))], /too weak/],
    ["31 hex digits", [entry("0123456789abcdef0123456789abcde")], /too weak/],
    ["an unknown member", [entry(token(), { secret_canary: 1 })], /a member that is not one of name, tenant/],
    ["a token twice", ((value) => [entry(value), entry(value)])(token()), /twice/],
  ])("with %s is refused by place and cure", (_name, content, fault) => {
    expect(() => readTokenEntries(content)).toThrow(fault);
    try {
      readTokenEntries(content);
    } catch (error) {
      expect((error as Error).message).not.toMatch(/hunter2|canary|aaaa|01234/);
    }
  });

  it("may be a list or have one under tokens", () => {
    const value = token();
    expect(readTokenEntries({ tokens: [entry(value)] })).toEqual(readTokenEntries([entry(value)]));
    expect(readTokenEntries([entry("0123456789abcdef0123456789abcdef")])).toHaveLength(1);
  });

  describe("on disk", () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "contextd-tokens-"));
    });
    afterAll(() => rm(folder, { recursive: true }));

    it("is warned of when others may read it", async () => {
      const path = join(folder, "tokens.json");
      await writeFile(path, JSON.stringify([entry(token())]));
      const log = new RecordingLog();
      await chmod(path, 0o600);
      expect(await readTokensFile(path, { parse: JSON.parse, log })).toHaveLength(1);
      expect(log.lines).toEqual([]);
      await chmod(path, 0o644);
      await readTokensFile(path, { parse: JSON.parse, log });
      expect(log.lines).toMatchObject([{ level: "warn", fields: { mode: "644" } }]);
    });

    it("that is missing or no JSON is refused without being quoted", async () => {
      const log = new RecordingLog();
      const missing = readTokensFile(join(folder, "none.json"), { parse: JSON.parse, log });
      await expect(missing).rejects.toThrow(/ENOENT/);
      const path = join(folder, "broken.json");
      await writeFile(path, "canary-token is here", { mode: 0o600 });
      const broken = await readTokensFile(path, { parse: JSON.parse, log }).catch((error: Error) => error);
      expect(broken).toBeInstanceOf(Error);
      expect(String((broken as Error).stack)).not.toContain("canary");
      expect((broken as Error).cause).toBeUndefined();
    });
  });
});
