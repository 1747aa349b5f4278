import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/manager/analysis.ts";
import { restoreAnalysed } from "../../src/manager/restore.ts";
import type { Session } from "../../src/manager/session.ts";
import { textOf } from "../../src/model/part.ts";
import { TENANT, TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

/** A session whose assistant names a file in each turn that an earlier result told of; nothing is read of it yet. */
async function referringSession(turns: number): Promise<Session> {
  const host = new TestManager();
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 200_000 });
  for (let n = 0; n < turns; n++) {
    const messages = n === 0 ? [wire.openai.user("Mend the parser.")] : [];
    await host.call("on_turn_start", { ...session, messages });
    const call = { id: `c${n}`, name: "grep", input: { pattern: `token_${n}` } };
    await host.call("on_turn_end", {
      ...session,
      message: wire.openai.answer(`See src/part_${n - 1}.ts now.`, [call]),
    });
    const content = `src/part_${n}.ts:12: ${prose(20, `line ${n}`)}`;
    await host.call("on_tool_result", { ...session, tool_call_id: `c${n}`, tool_name: "grep", content });
  }
  return (await restoreAnalysed(host.journal, { tenant: TENANT, id: "s" }))?.session as Session;
}

const countsOf = ({ blocks }: Session) => [...blocks.values()].map((block) => block.referenceCount);

describe("the analysis of a session", () => {
  it("waits for all live blocks, and reads them in slices", async () => {
    const analysis = new Analysis(await referringSession(4));
    const { waiting } = analysis;
    expect(waiting).toBeGreaterThan(8);
    expect(analysis.settle(5)).toBe(true);
    expect(analysis.waiting).toBe(waiting - 5);
    expect(analysis.settle()).toBe(false);
    expect(analysis.waiting).toBe(0);
  });

  it("counts each reference once, however often its indexes are given back in between", async () => {
    const whole = await referringSession(6);
    new Analysis(whole).settle();
    expect(Math.max(...countsOf(whole))).toBe(1);
    const resting = await referringSession(6);
    const analysis = new Analysis(resting);
    for (const limit of [0, 7, 3, 20]) {
      analysis.settle(limit);
      analysis.rest();
      expect(analysis.waiting).toBe(resting.blocks.size);
    }
    analysis.settle();
    expect(countsOf(resting)).toEqual(countsOf(whole));
  });

  it("takes for shown no more what the agent took out of its own list", async () => {
    const read = await referringSession(3);
    const analysis = new Analysis(read);
    analysis.settle();
    const shown = () => analysis.book.vocabulary.find("See src/part_1.ts now.")?.shown;
    expect(shown()).toBe(1);
    const message = read.messages.find(({ blocks }) =>
      blocks.some(({ part }) => textOf(part).includes("part_1.ts now")),
    );
    analysis.before({ type: "message.removed", data: { message_id: message?.id ?? "" } });
    expect(shown()).toBe(0);
    expect(analysis.book.hidden.size).toBe(0);
  });

  it("knows through which block it has counted, for a snapshot to say", async () => {
    const read = await referringSession(3);
    const analysis = new Analysis(read);
    expect(analysis.countedThrough).toBe(0);
    analysis.settle(4);
    expect(analysis.countedThrough).toBe(4);
    analysis.rest();
    expect(analysis.countedThrough).toBe(4);
    analysis.settle();
    expect(analysis.countedThrough).toBe(read.nextBlock - 1);
  });
});
