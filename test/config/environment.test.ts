import { describe, expect, test } from "vitest";
import { ConfigError, loadConfig } from "../../src/config/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { schemas } from "./config-with.ts";

const load = (environment: Record<string, string>) => loadConfig({ file: null, environment, flags: [] }, schemas);

function refusal(environment: Record<string, string>): string {
  try {
    load(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("the environment was accepted");
}

describe("the environment", () => {
  test("sets a key: two underscores are a dot", () => {
    expect(load({ CONTEXTD_SERVER__LIMITS__JSON_DEPTH: "32" }).server.limits.json_depth).toBe(32);
    expect(load({ contextd_server__port: "1", PATH: "x" }).server.port).toBe(7420);
  });

  test("gives numbers, booleans, null, lists and mappings as YAML", () => {
    const config = load({
      CONTEXTD_MAX_CONTEXT_TOKENS: "null",
      CONTEXTD_EVICTION__MERGE__ENABLED: "false",
      CONTEXTD_SERVER__ALLOWED_HOSTS: "[a.example, b.example]",
      CONTEXTD_PRESSURE__THRESHOLDS: "{yellow: 0.1, orange: 0.2, red: 0.3}",
      CONTEXTD_EVICTION__TARGET_UTILIZATION: "0.15",
      CONTEXTD_COMPRESSION__INGEST_MAX_TOKENS: "auto",
    });
    expect(config.max_context_tokens).toBeNull();
    expect(config.eviction.merge.enabled).toBe(false);
    expect(config.server.allowed_hosts).toEqual(["a.example", "b.example"]);
    expect(config.pressure.thresholds).toEqual({ yellow: 0.1, orange: 0.2, red: 0.3 });
    expect(config.compression.ingest_max_tokens).toBe("auto");
  });

  test("gives text as it stands where text is all that a key takes", () => {
    expect(load({ CONTEXTD_STORE__PATH: "0123" }).store.path).toBe("0123");
    expect(load({ CONTEXTD_STORE__URL: "postgres://u:p@h/d?x=y: [" }).store.url).toBe("postgres://u:p@h/d?x=y: [");
  });

  test("sets a whole section, over which its single keys win in any order", () => {
    const environment = { CONTEXTD_SERVER__PORT: "2", CONTEXTD_SERVER: "{port: 1, drain_timeout_ms: 5}" };
    expect(load(environment).server).toMatchObject({ port: 2, drain_timeout_ms: 5 });
    expect(load(Object.fromEntries(Object.entries(environment).reverse())).server.port).toBe(2);
  });

  test("reads a secret from a file", () => {
    using folder = temporaryFolder();
    const file = folder.write("url", "postgres://u:p@h/d\n");
    expect(load({ CONTEXTD_STORE__URL_FILE: file }).store.url).toBe("postgres://u:p@h/d");
  });

  test("does not take a key that ends in _file for a secret's file", () => {
    expect(load({ CONTEXTD_SERVER__AUTH__TOKENS_FILE: "t.yaml" }).server.auth.tokens_file).toBe("t.yaml");
  });

  test("leaves the variables alone that are no settings", () => {
    expect(load({ CONTEXTD_LONG: "1", CONTEXTD_URL: "http://x", CONTEXTD_TOKEN_FILE: "t" }).server.port).toBe(7420);
  });

  test.each([
    [
      { CONTEXTD_SERVER__PROT: "1" },
      /environment CONTEXTD_SERVER__PROT: server.prot is an unknown key; did you mean "port"/,
    ],
    [{ CONTEXTD_SEVER__PORT: "1" }, /did you mean "server"/],
    [{ CONTEXTD_: "1" }, /unknown key/],
    [{ CONTEXTD_SERVER__PORT: "70000" }, /environment CONTEXTD_SERVER__PORT: server.port must be a whole number/],
    [{ CONTEXTD_SERVER__PORT: "" }, /CONTEXTD_SERVER__PORT: server.port/],
    [{ CONTEXTD_SERVER: "{port: x}" }, /environment CONTEXTD_SERVER: server.port must be/],
    [{ CONTEXTD_SERVER__ALLOWED_HOSTS: "[a" }, /CONTEXTD_SERVER__ALLOWED_HOSTS: server.allowed_hosts is no YAML/],
    [{ CONTEXTD_SERVER__PORT_FILE: "/x" }, /server.port is no secret: set it in CONTEXTD_SERVER__PORT/],
    [{ CONTEXTD_STORE__URL_FILE: "/nowhere/at/all" }, /store.url cannot be read from its file: there is no such file/],
    [{ CONTEXTD_STORE__URL_FILE: "/dev/zero" }, /larger than/],
    [{ CONTEXTD_STORE__URL: "a", CONTEXTD_STORE__URL_FILE: "/dev/null" }, /is also set by CONTEXTD_STORE__URL/],
  ])("%o is refused with the variable's name", (environment, message) => {
    expect(refusal(environment as unknown as Record<string, string>)).toMatch(message);
  });
});
