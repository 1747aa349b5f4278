import { describe, expect, it } from "vitest";
import type { CompressionEdit, CompressionOutcome, CompressionView } from "../../src/compression/method.ts";
import { compressionMethods } from "../../src/compression/methods/index.ts";
import type { Block } from "../../src/model/block.ts";
import { ContextBuilder, countCharacters, textPart } from "../support/context-builder.ts";
import { meetingNotes } from "../support/tool-outputs.ts";

const BESIDE = 3;

/** A context whose last turn is so many turns after its one large result. */
function aged(turns: number): { built: ContextBuilder; block: Block } {
  const built = new ContextBuilder().nextTurn();
  const unit = built.call("bash", { command: "journalctl" }, meetingNotes());
  built.nextTurn(turns);
  return { built, block: unit.blocks.at(-1) as Block };
}

function apply(built: ContextBuilder, more: Partial<CompressionView> = {}, options: unknown = {}): CompressionOutcome {
  const view: CompressionView = {
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
  return compressionMethods.progressive.configure(options).apply(view, { tokensToFree: 1_000_000 });
}

function edits(outcome: CompressionOutcome): readonly CompressionEdit[] {
  return outcome.kind === "applied" ? outcome.edits : [];
}

/** What the manager does with an edit. */
function carryOut(block: Block, edit: CompressionEdit): void {
  block.part = { ...block.part, text: edit.replacementText ?? "" } as Block["part"];
  block.tokens = edit.tokensAfter;
  block.state = "summarized";
}

describe("progressive", () => {
  it.each([
    [0, null, ""],
    [1, null, ""],
    [2, 0.3, "progressive.within_5_turns"],
    [5, 0.3, "progressive.within_5_turns"],
    [6, 0.05, "progressive.within_20_turns"],
    [20, 0.05, "progressive.within_20_turns"],
    [21, 0.01, "progressive.oldest"],
  ])("brings a result of %i turns to a share of %s", (turns, share, rule) => {
    const { built, block } = aged(turns);
    const planned = edits(apply(built));
    if (share === null) {
      expect(apply(built)).toEqual({ kind: "not_applicable", reason: "no_level_crossed" });
      return;
    }
    expect(planned).toHaveLength(1);
    expect(planned[0]).toMatchObject({ method: "summarize", blockIds: [block.id], rule });
    expect(planned[0]?.tokensAfter).toBeLessThanOrEqual(Math.max(40, share * block.originalTokens));
  });

  it("touches a result again only when it crosses the next level, always by its original size", () => {
    const { built, block } = aged(2);
    const touchedAt: number[] = [];
    for (let age = 2; age <= 40; age++) {
      for (const edit of edits(apply(built))) {
        touchedAt.push(age);
        carryOut(block, edit);
      }
      built.nextTurn();
    }
    expect(touchedAt).toEqual([2, 6, 21]);
  });

  it("ends in a short line that tells what it was", () => {
    const { built, block } = aged(30);
    const text = edits(apply(built))[0]?.replacementText ?? "";
    expect(text).toBe(
      `[… ${block.originalTokens.toLocaleString("en-US")} tokens left out: result of bash, turn 1; recall ${block.handle} …]`,
    );
    expect(edits(apply(built, { canRecall: false }))[0]?.replacementText).not.toContain("recall");
  });

  it("lets long answers fade, and never thinking, calls, users' words or what is protected", () => {
    const built = new ContextBuilder().nextTurn();
    const long = meetingNotes();
    built.user(long);
    built.assistant(long);
    built.call("bash", { command: long }, "done", { thinking: long });
    built.unit({ type: "memory_injection", part: textPart(long) });
    built.nextTurn(10);
    const answer = built.units[1]?.blocks[0] as Block;
    expect(edits(apply(built)).map((edit) => edit.blockIds)).toEqual([[answer.id]]);
    expect(apply(built, { isProtected: (block) => block === answer })).toMatchObject({ reason: "no_level_crossed" });
    const planned = new Map([[answer.id, { blockIds: [answer.id] } as unknown as CompressionEdit]]);
    expect(apply(built, { planned })).toMatchObject({ reason: "no_level_crossed" });
  });

  it("says that it does not apply where no text is long", () => {
    const built = new ContextBuilder().nextTurn();
    built.call("bash", {}, "short");
    expect(apply(built.nextTurn(50))).toEqual({ kind: "not_applicable", reason: "no_long_text" });
  });

  it("takes its levels as options, and refuses levels that do not fall", () => {
    const { built, block } = aged(2);
    const [edit] = edits(apply(built, {}, { levels: [{ turns: 1, share: 0.5 }], oldest_share: 0.2 }));
    expect(edit?.rule).toBe("progressive.oldest");
    expect(edit?.tokensAfter).toBeGreaterThan(0.1 * block.originalTokens);
    const rising = {
      levels: [
        { turns: 5, share: 0.3 },
        { turns: 3, share: 0.1 },
      ],
    };
    expect(() => compressionMethods.progressive.configure(rising)).toThrow(/rising turns/);
  });

  it("leaves a prepared text out that is too long for the level", () => {
    const { built } = aged(10);
    const fits = "Worker 4.2.1 exited with 3: database refused.";
    expect(edits(apply(built, { preparedText: () => fits }))[0]?.replacementText).toBe(fits);
    const tooLong = fits.repeat(40);
    expect(edits(apply(built, { preparedText: () => tooLong }))[0]?.replacementText).not.toBe(tooLong);
  });
});
