import { expect, test } from "vitest";
import { ConfigError, resolveSettings } from "../../src/config/index.ts";
import { ContextdError } from "../../src/model/errors.ts";
import type { Json } from "../../src/model/json.ts";
import { configWith } from "./config-with.ts";

function refusal(options: Json): string {
  try {
    configWith({ "compression.options": options });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("the options were accepted");
}

test("options of a method are taken as they are given", () => {
  const options = { progressive: { min_tokens: 50 }, head_tail: { keep_tokens: 20 } };
  expect(configWith({ "compression.options": options }).compression.options).toEqual(options);
});

test("options of a method that there is not are refused with the path and the legal names", () => {
  expect(refusal({ telepathy: {} })).toMatch(
    /compression\.options\.telepathy names no compression method; legal: .*progressive/,
  );
});

test("options that a method does not take are refused with the path, also where no step names the method", () => {
  expect(refusal({ progressive: { min_tokens: -1 } })).toContain("compression.options.progressive.min_tokens");
  expect(refusal({ progressive: { loud: true } })).toMatch(
    /compression\.options\.progressive .*refused by the method progressive.*loud/,
  );
  expect(refusal({ head_tail: { keep_tokens: "few" } })).toContain("compression.options.head_tail.keep_tokens");
});

test("a session's own options are held to the same", () => {
  const options = { conversation_compaction: { keep_share: 2 } };
  expect(() => resolveSettings(configWith(), "default-128k", { compression: { options } })).toThrow(ContextdError);
  const fitting = { conversation_compaction: { keep_share: 0.1 } };
  expect(
    resolveSettings(configWith(), "default-128k", { compression: { options: fitting } }).compression.options,
  ).toEqual(fitting);
});

test("a cascade's thresholds are shares of the window, and its steps are known", () => {
  for (const cascade of [
    { "75": "progressive" },
    { "1.5": "progressive" },
    { "-0.5": "progressive" },
    { "0.5": "telepathy" },
  ])
    expect(() => configWith({ "compression.cascade": cascade })).toThrow(/compression\.cascade/);
  const cascade = { "0.5": "eviction", "1": "progressive", "1.0": "head_tail", ".25": "sub_agent" };
  expect(configWith({ "compression.cascade": cascade }).compression.cascade).toEqual(cascade);
});
