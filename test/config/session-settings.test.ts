import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../src/config/index.ts";
import { scorers } from "../../src/eviction/index.ts";
import { ContextdError } from "../../src/model/errors.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { configWith } from "./config-with.ts";

const config = configWith();

function refusal(profile: string, own: JsonObject): ContextdError {
  try {
    resolveSettings(config, profile, own);
  } catch (error) {
    if (error instanceof ContextdError) return error;
    throw error;
  }
  throw new Error("the settings were accepted");
}

describe("resolveSettings", () => {
  test("puts the profile over the config and the session's own settings over both", () => {
    const base = configWith({
      "eviction.keep_recent_units": 9,
      "eviction.min_tokens_freed": 9,
      "pressure.velocity_window": 9,
    });
    const own = { eviction: { min_tokens_freed: 1 } };
    const settings = resolveSettings(base, "local-8k", own);
    expect(settings.pressure.velocity_window).toBe(9);
    expect(settings.eviction).toMatchObject({ keep_recent_units: 4, min_tokens_freed: 1, policy: "fifo" });
    expect(settings.max_context_tokens).toBe(8192);
  });

  test("with the default profile gives what the config says", () => {
    const base = configWith({ max_context_tokens: 5000, "eviction.keep_recent_units": 9 });
    expect(resolveSettings(base, base.profile)).toMatchObject({
      max_context_tokens: 5000,
      eviction: { keep_recent_units: 9 },
    });
  });

  test("gives the same frozen object for the same arguments, and for equal ones", () => {
    const own = { eviction: { policy: "lru" } };
    const first = resolveSettings(config, "million", own);
    expect(resolveSettings(config, "million", own)).toBe(first);
    expect(resolveSettings(config, "million", { eviction: { policy: "lru" } })).toBe(first);
    expect(resolveSettings(config, "local-8k", own)).not.toBe(first);
    expect(Object.isFrozen(first.eviction.weights)).toBe(true);
  });

  test("is bounded in what it remembers", () => {
    const first = resolveSettings(config, "million", { max_context_tokens: 1 });
    for (let tokens = 2; tokens < 600; tokens++) resolveSettings(config, "million", { max_context_tokens: tokens });
    expect(resolveSettings(config, "million", { max_context_tokens: 1 })).not.toBe(first);
  });

  test("drops the options of a policy that is replaced", () => {
    const base = configWith({ "eviction.policy": "sliding_window", "eviction.options": { n: 3 } });
    expect(resolveSettings(base, "million").eviction.options).toEqual({ n: 3 });
    expect(resolveSettings(base, "million", { eviction: { policy: "lru" } }).eviction.options).toEqual({});
    const same = { eviction: { policy: "sliding_window", options: { n: 4 } } };
    expect(resolveSettings(base, "million", same).eviction.options).toEqual({ n: 4 });
  });

  test("replaces numeric thresholds by auto and the other way round", () => {
    expect(resolveSettings(config, "local-8k", { pressure: { thresholds: "auto" } }).pressure.thresholds).toBe("auto");
    const own = { pressure: { thresholds: { red: 0.88 } } };
    expect(resolveSettings(config, "local-8k", own).pressure.thresholds).toEqual({
      yellow: 0.5,
      orange: 0.7,
      red: 0.88,
    });
    expect(refusal("default-128k", own).data["path"]).toBe("settings.pressure.thresholds.yellow");
  });

  test.each([
    [{ eviction: { policy: "lur" } }, "settings.eviction.policy", /did you mean "lru"/],
    [{ evicton: {} }, "settings.evicton", /did you mean "eviction"\? \(legal here: max_context_tokens/],
    [{ server: { port: 1 } }, "settings.server", /unknown key/],
    [{ max_context_tokens: -1 }, "settings.max_context_tokens", /whole number/],
    [{ eviction: null }, "settings.eviction", /a mapping of policy/],
    [JSON.parse('{"__proto__": {"a": 1}}'), "settings.__proto__", /unknown key/],
    [JSON.parse('{"eviction": {"__proto__": {"a": 1}}}'), "settings.eviction.__proto__", /unknown key/],
  ])("refuses %j with invalid_params and the path", (own, path, message) => {
    const error = refusal("default-128k", own as JsonObject);
    expect(error).toMatchObject({ reason: "invalid_params", data: { path } });
    expect(error.message).toMatch(message);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  test("an unknown profile names the legal ones", () => {
    const error = refusal("local8k", {});
    expect(error).toMatchObject({ reason: "invalid_params", data: { path: "profile" } });
    expect(error.data["legal"]).toContain("customer-support");
    expect(error.message).toContain('did you mean "local-8k"?');
    expect(refusal("toString", {}).reason).toBe("invalid_params");
  });

  test("a copy of a config is refused: it would not know the legal names", () => {
    expect(() => resolveSettings({ ...config }, "million")).toThrow(TypeError);
  });
});

describe("the built-in profiles", () => {
  test("are these eight, and each resolves", () => {
    const names = [
      "code-review",
      "customer-support",
      "default-128k",
      "large-200k",
      "local-32k",
      "local-8k",
      "million",
      "research",
    ];
    expect(Object.keys(config.profiles).sort()).toEqual(names);
    for (const name of names) expect(resolveSettings(config, name).eviction.policy).toBe("fifo");
  });

  test.each([
    ["code-review", [0.06, 0.05, 0.6, 0.18, 0.06, 0.05]],
    ["research", [0.05, 0.05, 0.55, 0.15, 0.15, 0.05]],
    ["customer-support", [0.08, 0.03, 0.7, 0.08, 0.06, 0.05]],
  ])("%s shares the window out as designed", (name, shares) => {
    expect(Object.values(resolveSettings(config, name).budget.allocations)).toEqual(shares);
  });

  test("leave the published size where the name says it", () => {
    const sizes = ["local-8k", "local-32k", "large-200k", "million"].map(
      (name) => resolveSettings(config, name).max_context_tokens,
    );
    expect(sizes).toEqual([8192, 32768, 200_000, 1_000_000]);
  });

  test("can be amended", () => {
    const amended = configWith({ "profiles.local-8k": { eviction: { keep_recent_units: 7 } } });
    expect(resolveSettings(amended, "local-8k")).toMatchObject({
      max_context_tokens: 8192,
      eviction: { keep_recent_units: 7 },
    });
  });
});

test("the defaults for hybrid are those of the scorer itself", () => {
  const { weights, type_ttl } = configWith().eviction;
  expect(scorers.hybrid.options.parse({})).toMatchObject({ weights, type_ttl });
});

test("a policy's own options are checked with it, in the config and in a session's settings", () => {
  const options = (given: JsonObject) => ({ eviction: { policy: "sliding_window", options: given } });
  expect(resolveSettings(config, "million", options({})).eviction.options).toEqual({});
  expect(refusal("million", options({ unitz: 1 })).message).toMatch(
    /^settings.eviction.options is refused by the policy/,
  );
  expect(() => configWith({ "eviction.options": { nonsense: 1 } })).toThrow(/refused by the policy fifo/);
});
