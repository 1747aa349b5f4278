import { describe, expect, test } from "vitest";
import { ConfigError, loadConfig, NO_SOURCES } from "../../src/config/index.ts";
import { configWith, schemas } from "./config-with.ts";

const load = (yaml: string) =>
  loadConfig({ ...NO_SOURCES, environment: { CONTEXTD_TELEMETRY__GRAFANA_LIVE: `{${yaml}}` } }, schemas).telemetry
    .grafana_live;

function refusal(yaml: string): string {
  try {
    load(yaml);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("the config was accepted");
}

describe("telemetry.grafana_live", () => {
  test("pushes nothing by default", () => {
    expect(configWith().telemetry.grafana_live).toEqual({
      url: null,
      stream: "contextd",
      token_file: null,
      username: null,
      password_file: null,
      buffer: 4096,
      flush_ms: 250,
      measurements: ["zone_event", "eviction_event", "window"],
    });
  });

  test("takes an address with a token's file, or with a user and a password's file", () => {
    expect(load("url: 'http://grafana:3000', token_file: /run/secrets/t")).toMatchObject({
      token_file: "/run/secrets/t",
    });
    expect(load("url: 'https://g/grafana', username: admin, password_file: p")).toMatchObject({ username: "admin" });
  });

  test.each([
    ["an address that is none", "url: grafana", "must be a URL, such as http://grafana:3000"],
    ["another scheme", "url: 'ws://grafana'", "must start with http:// or https://"],
    ["credentials in the address", "url: 'http://a:b@grafana'", "use token_file, or username and password_file"],
    ["a query in the address", "url: 'http://grafana/?a=b'", "must end with its path"],
    ["a user without a password", "username: admin", "password_file"],
    ["a password without a user", "password_file: p", "username"],
    ["a token beside a user", "token_file: t, username: u, password_file: p", "give one of them"],
    ["a stream that is no channel's name", "stream: 'a/b'", "must be 1 to 64 letters"],
    ["an unknown measurement", "measurements: [prompt]", "eviction_event"],
    ["a secret as it is", "token: glsa_x", "token"],
  ])("refuses %s", (_what, yaml, words) => {
    expect(refusal(yaml)).toContain(words);
  });
});
