import { expect, test } from "vitest";
import { z } from "zod";
import {
  type CascadeSettings,
  type CompressionMethod,
  compressionMethods,
  configureCascade,
  EVICTION,
} from "../../src/compression/index.ts";
import { ContextdError } from "../../src/model/errors.ts";
import { type Strategy, strategy } from "../../src/model/strategy.ts";
import { configWith } from "../config/config-with.ts";

const DEFAULTS = configWith().compression;

function steps(settings: Partial<CascadeSettings> = {}, registry = compressionMethods) {
  return configureCascade({ ...DEFAULTS, ...settings }, registry).map(({ threshold, method }) => [
    threshold,
    method === EVICTION ? EVICTION : method.name,
  ]);
}

/** A method that tells what it was configured with. */
function telling(
  told: unknown[],
  options: z.ZodType = z.strictObject({ min_tokens: z.number().default(7), loud: z.boolean().default(false) }),
): Strategy<CompressionMethod> {
  return strategy("tells its options", options, (given) => {
    told.push(given);
    return { name: "telling", apply: () => ({ kind: "not_applicable", reason: "test" }) };
  });
}

test("by default eviction comes first and cutting the largest texts last", () => {
  expect(steps()).toEqual([
    [0, "eviction"],
    [0.75, "tool_result_summarization"],
    [0.85, "progressive"],
    [0.92, "conversation_compaction"],
    [0.95, "sub_agent"],
    [1, "head_tail"],
  ]);
});

test("steps stand by their thresholds, however they are written, and eviction where it is named", () => {
  const cascade = { "0.9": "eviction", "1": "progressive", ".6": "tool_result_summarization", "0.950": "sub_agent" };
  expect(steps({ cascade })).toEqual([
    [0.6, "tool_result_summarization"],
    [0.9, "eviction"],
    [0.92, "conversation_compaction"],
    [0.95, "sub_agent"],
    [1, "progressive"],
    [1, "head_tail"],
  ]);
});

test("of steps at one threshold eviction is the first", () => {
  const cascade = { "0.7": "progressive", "0.70": "eviction", "0.700": "tool_result_summarization" };
  expect(steps({ cascade }).slice(0, 3)).toEqual([
    [0.7, "eviction"],
    [0.7, "progressive"],
    [0.7, "tool_result_summarization"],
  ]);
});

test("compaction stands at its own threshold unless the cascade names it", () => {
  expect(steps({ cascade: {}, compaction_utilization_threshold: 0.8 })).toEqual([
    [0, "eviction"],
    [0.8, "conversation_compaction"],
    [1, "head_tail"],
  ]);
  const named = steps({ cascade: { "0.5": "conversation_compaction" }, compaction_utilization_threshold: 0.8 });
  expect(named.filter(([, name]) => name === "conversation_compaction")).toEqual([[0.5, "conversation_compaction"]]);
});

test("the last resort stays the last, also where the cascade names it earlier", () => {
  expect(steps({ cascade: { "0.6": "head_tail" } }).filter(([, name]) => name === "head_tail")).toEqual([
    [0.6, "head_tail"],
    [1, "head_tail"],
  ]);
});

test("a method gets its own options, and defaults for the rest", () => {
  const told: unknown[] = [];
  const registry = { ...compressionMethods, telling: telling(told) };
  steps({ cascade: { "0.5": "telling" }, options: { telling: { loud: true }, progressive: {} } }, registry);
  expect(told).toEqual([{ min_tokens: 7, loud: true }]);
});

test("summarization_threshold_tokens is min_tokens of the summarization of tool results, unless its options say so", () => {
  const told: unknown[] = [];
  const registry = { ...compressionMethods, tool_result_summarization: telling(told), other: telling(told) };
  const cascade = { "0.5": "tool_result_summarization", "0.6": "other" };
  steps({ cascade, summarization_threshold_tokens: 900 }, registry);
  steps(
    { cascade, summarization_threshold_tokens: 900, options: { tool_result_summarization: { min_tokens: 30 } } },
    registry,
  );
  expect(told).toMatchObject([{ min_tokens: 900 }, { min_tokens: 7 }, { min_tokens: 30 }, { min_tokens: 7 }]);
});

test("it is not forced on a method of that name that does not know it", () => {
  const told: unknown[] = [];
  const own = telling(told, z.strictObject({ most: z.number().default(1) }));
  steps({ cascade: { "0.5": "tool_result_summarization" } }, { ...compressionMethods, tool_result_summarization: own });
  expect(told).toEqual([{ most: 1 }]);
});

test("options that do not fit are refused", () => {
  const options = { progressive: { min_tokens: "many" } };
  expect(() => steps({ options })).toThrow(z.ZodError);
});

test.each(["telepathy", "toString"])(
  "the method %s, which there is not, is refused with the path and what there is",
  (name) => {
    try {
      steps({ cascade: { "0.5": name } });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ContextdError);
      expect(error).toMatchObject({ reason: "invalid_params", data: { path: "compression.cascade" } });
      const { legal } = (error as ContextdError).data as { legal: string[] };
      expect(legal).toEqual(["eviction", ...Object.keys(compressionMethods)]);
    }
  },
);
