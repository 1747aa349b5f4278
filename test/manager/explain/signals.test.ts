import { describe, expect, it } from "vitest";
import { resolveSettings } from "../../../src/config/index.ts";
import { configureScorer, scoringView } from "../../../src/eviction/index.ts";
import { lineNumberOf } from "../../../src/manager/explain/line-number.ts";
import { signalsOf } from "../../../src/manager/explain/signals.ts";
import type { Block } from "../../../src/model/block.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { configWith } from "../../config/config-with.ts";
import { ContextBuilder } from "../../support/context-builder.ts";

const config = configWith();
const settings = (eviction: JsonObject) => resolveSettings(config, config.profile, { eviction });

describe("the signals of a score", () => {
  it("are told with the weights that the policy itself makes of the settings", () => {
    for (const eviction of [
      { policy: "hybrid" },
      { policy: "hybrid", weights: { recency: 3, priority: 1, type_ttl: 0 } },
      { policy: "hybrid", options: { weights: { recency: 1, priority: 1 } } },
    ]) {
      const own = settings(eviction);
      const built = new ContextBuilder();
      built.assistant("I look at the connectors.");
      const [block] = built.blocks;
      const { parts } = configureScorer(own.eviction).score(block as Block, scoringView(built.context()));
      // A block that came in this very turn: its recency is 1, so that its part is its weight.
      const [recency, ...others] = signalsOf("hybrid", parts, own);
      expect(recency?.value).toBeCloseTo(1);
      expect(recency?.weight).toBeCloseTo(parts["recency"] ?? 0);
      const weights = [recency, ...others].map((signal) => signal?.weight ?? 0);
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1);
    }
  });

  it("have no weights where another policy gave the score, or one that weighs nothing", () => {
    const unknown = { value: null, weight: null };
    expect(signalsOf("hybrid", { recency: 0.2 }, settings({ policy: "fifo" }))).toMatchObject([unknown]);
    expect(signalsOf("fifo", { recency: 0.2 }, settings({ policy: "fifo" }))).toMatchObject([unknown]);
    expect(signalsOf("hybrid", { superseded: -0.2 }, settings({ policy: "hybrid" }))).toEqual([
      { name: "superseded", ...unknown, part: -0.2 },
    ]);
  });
});

describe("the line of an identifier", () => {
  it("is the first that holds it by itself, else within a word", () => {
    const text = "const my_budget_ms = 1;\nuse(budget_ms);\nend";
    expect(lineNumberOf(text, "budget_ms")).toBe(2);
    expect(lineNumberOf(text, "my_budget")).toBe(1);
    expect(lineNumberOf(text, "nowhere")).toBeNull();
  });
});
