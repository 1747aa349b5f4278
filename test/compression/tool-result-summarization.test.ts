import { describe, expect, it } from "vitest";
import type { CompressionEdit, CompressionOutcome, CompressionView } from "../../src/compression/method.ts";
import { compressionMethods } from "../../src/compression/methods/index.ts";
import type { Block } from "../../src/model/block.ts";
import { ContextBuilder, countCharacters } from "../support/context-builder.ts";
import { strangeLine } from "../support/extracts.ts";
import { meetingNotes, ordersJson, serviceLog } from "../support/tool-outputs.ts";

const BESIDE = 3;

/** Three turns with a large result each, then a current one. */
function history(): ContextBuilder {
  const built = new ContextBuilder().nextTurn();
  built.user("Find out what went wrong.").tokens;
  built.call("get_orders", { page: 1 }, ordersJson());
  built.nextTurn().call("bash", { command: "journalctl" }, serviceLog());
  built.nextTurn().call("read_document", { title: "Weekly" }, meetingNotes());
  built.nextTurn().call("get_orders", { page: 2 }, ordersJson(90));
  return built;
}

function view(built: ContextBuilder, more: Partial<CompressionView> = {}): CompressionView {
  return {
    turn: built.turn,
    windowTokens: 8_000,
    units: built.units,
    planned: new Map(),
    canRecall: true,
    isProtected: () => false,
    count: countCharacters,
    tokensWith: (_block, text) => countCharacters(text) + BESIDE,
    ...more,
  };
}

function apply(seen: CompressionView, tokensToFree: number, options: unknown = {}): CompressionOutcome {
  return compressionMethods.tool_result_summarization.configure(options).apply(seen, { tokensToFree });
}

function edits(outcome: CompressionOutcome): readonly CompressionEdit[] {
  return outcome.kind === "applied" ? outcome.edits : [];
}

const results = (built: ContextBuilder) => built.blocks.filter((block) => block.type === "tool_result");

describe("tool_result_summarization", () => {
  it("brings every large result before the current turn to its share, each by its kind", () => {
    const built = history();
    const planned = edits(apply(view(built), 1_000_000));
    expect(planned.map((edit) => edit.blockIds)).toEqual(
      results(built)
        .slice(0, 3)
        .map((block) => [block.id]),
    );
    expect(planned.map((edit) => edit.rule)).toEqual([
      "tool_result_summarization.json",
      "tool_result_summarization.log",
      "tool_result_summarization.plain",
    ]);
    for (const edit of planned) {
      expect(edit.method).toBe("summarize");
      expect(edit.tokensAfter).toBeLessThanOrEqual(Math.max(150, edit.tokensBefore / 4));
      expect(edit.tokensAfter).toBe(countCharacters(edit.replacementText ?? "") + BESIDE);
    }
  });

  it("takes the oldest first and stops when the demand is met", () => {
    const built = history();
    const [first] = edits(apply(view(built), 1_000_000));
    const freed = (first as CompressionEdit).tokensBefore - (first as CompressionEdit).tokensAfter;
    expect(edits(apply(view(built), freed))).toEqual([first]);
    expect(edits(apply(view(built), freed + 1))).toHaveLength(2);
  });

  it("leaves alone what is small, protected, planned, cleared, merged or summarised already", () => {
    const built = history();
    const [orders, log, notes] = results(built) as [Block, Block, Block];
    orders.state = "summarized";
    const planned = new Map([[log.id, { blockIds: [log.id] } as unknown as CompressionEdit]]);
    const seen = view(built, { planned, isProtected: (block) => block === notes });
    expect(apply(seen, 1)).toEqual({ kind: "not_applicable", reason: "results_protected_or_current" });
    for (const block of results(built)) block.state = "cleared";
    expect(apply(view(built), 1)).toEqual({ kind: "not_applicable", reason: "no_large_result" });
    expect(apply(view(history()), 1, { min_tokens: 100_000 })).toMatchObject({ reason: "no_large_result" });
  });

  it("leaves a result with attachments alone: no text stands for an image", () => {
    const built = new ContextBuilder().nextTurn();
    const unit = built.call("screenshot", {}, serviceLog());
    const [, block] = unit.blocks as [Block, Block];
    block.part = { ...block.part, attachments: [{ kind: "other", wire: {} }] } as unknown as Block["part"];
    built.nextTurn();
    expect(apply(view(built), 1)).toMatchObject({ reason: "no_large_result" });
  });

  it("goes on to the next way where the facts are not kept, and to the next result where none keeps them", () => {
    const built = history();
    const [orders, log] = results(built) as [Block, Block];
    const tried: string[] = [];
    const keepsFacts = (block: Block, text: string) => {
      if (block.id !== orders.id) return true;
      tried.push(text);
      return tried.length === 2;
    };
    const [first] = edits(apply(view(built, { keepsFacts }), 1, { extractors: ["structured", "head_tail"] }));
    expect(first).toMatchObject({ blockIds: [orders.id], rule: "tool_result_summarization.head_tail" });
    const none = view(built, { keepsFacts: (block) => block.id !== orders.id });
    expect(edits(apply(none, 1))[0]?.blockIds).toEqual([log.id]);
    expect(apply(view(built, { keepsFacts: () => false }), 1)).toMatchObject({ reason: "nothing_saved" });
  });

  it("takes a prepared text first, if it is shorter and keeps the facts", () => {
    const built = history();
    const prepared = (text: string) => view(built, { preparedText: () => text });
    expect(edits(apply(prepared("80 orders; 41 failed."), 1))[0]).toMatchObject({
      replacementText: "80 orders; 41 failed.",
      rule: "tool_result_summarization.prepared",
    });
    expect(edits(apply(prepared("long ".repeat(10_000)), 1))[0]?.rule).toBe("tool_result_summarization.json");
    const doubted = { ...prepared("80 orders."), keepsFacts: (_block: Block, text: string) => text !== "80 orders." };
    expect(edits(apply(doubted, 1))[0]?.rule).toBe("tool_result_summarization.json");
  });

  it("names the handle only where the agent can recall", () => {
    const built = history();
    const [block] = results(built) as [Block];
    expect(edits(apply(view(built), 1))[0]?.replacementText).toContain(`recall ${block.handle}`);
    expect(edits(apply(view(built, { canRecall: false }), 1))[0]?.replacementText).not.toContain("recall");
  });

  it("shows whole lines of the result", () => {
    const built = history();
    for (const edit of edits(apply(view(built), 1_000_000, { extractors: ["extractive"] }))) {
      const block = built.blocks.find((each) => each.id === edit.blockIds[0]) as Block;
      expect(strangeLine(edit.replacementText ?? "", (block.part as { text: string }).text)).toBeNull();
    }
  });
});
