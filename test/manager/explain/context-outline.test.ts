import { describe, expect, it } from "vitest";
import { ContextOutline } from "../../../src/manager/explain/context-outline.ts";
import { readPass } from "../../../src/manager/explain/read-pass.ts";
import { readBody } from "../../../src/manager/row.ts";
import type { Session } from "../../../src/manager/session.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { refused, TENANT, TestManager } from "../../support/manager.ts";
import { prose, wire } from "../../support/wire-messages.ts";

const session = { session_id: "s" };
const key = { tenant: TENANT, id: "s" };

/** A session with passes, a window change, an overflow, a pinned block and a history that the agent cut. */
async function eventful(): Promise<TestManager> {
  const host = new TestManager({ snapshotEvery: 6 });
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    max_context_tokens: 3_000,
    system: "You mend code.",
    tools: [{ type: "function", function: { name: "read", parameters: { type: "object" } } }],
    settings: { compaction: { summarizer: "extractive" } },
  });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it. Never touch main.ts.")] });
  for (let step = 0; step < 30; step++) {
    const call = { id: `c${step}`, name: "read", input: { path: `src/file_${step % 7}.ts` } };
    await host.call("on_turn_end", { ...session, message: wire.openai.answer(`I read file_${step}.`, [call]) });
    const content = `${prose(12 + (step % 5) * 60, `step_${step}`)}\nconst value_${step} = ${step};`;
    await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "read", content });
    if (step === 12) await host.call("window.open", session);
    if (step === 20) await host.call("on_overflow", { ...session, provider_error: { message: "prompt is too long" } });
    await host.call("on_turn_start", session);
  }
  const checkpoint = await host.call("checkpoint.get", session);
  await host.call("checkpoint.load", { ...session, checkpoint: checkpoint.document }).catch(() => null);
  return host;
}

/** A session of an agent that sends its whole list each time, whose provider summarises, and that cuts its list. */
async function cut(): Promise<TestManager> {
  const host = new TestManager({ snapshotEvery: 6 });
  await host.call("session.open", {
    ...{ ...session, model: "claude-sonnet-4-5", message_format: "anthropic", max_context_tokens: 2_000 },
    settings: { compaction: { summarizer: "extractive" } },
  });
  const list: JsonObject[] = [{ role: "user", content: "Mend it." }];
  for (let step = 0; step < 16; step++) {
    const call = { type: "tool_use", id: `t${step}`, name: "read", input: { path: `f${step}` } };
    const said = { type: "text", text: `I read ${step}.` };
    const compaction = { type: "compaction", content: `All up to ${step} was read.` };
    list.push({ role: "assistant", content: step === 6 ? [compaction, said, call] : [said, call] });
    const result = { type: "tool_result", tool_use_id: `t${step}`, content: prose(150, `cut_${step}`) };
    list.push({ role: "user", content: [result] });
    if (step === 11) list.splice(3, 4);
    await host.call("on_turn_start", { ...session, history: list });
  }
  return host;
}

const listed = ({ tools, messages }: Session) =>
  [...tools, ...messages.flatMap(({ blocks }) => blocks)].map(
    ({ id, messageId, type, turn, tool, hash, handle, originalTokens, partHash, tokens, state, generation }) => ({
      ...{ id, messageId, type, turn, tool, hash, handle, originalTokens, partHash, tokens, state, generation },
    }),
  );

describe("the outline of a context", () => {
  it.each([
    ["of its own making", eventful, ["window.opened", "summary.rewritten", "ledger.rebuilt"]],
    ["of the agent's and the provider's", cut, ["history.diverged", "provider.edited", "message.removed"]],
  ] as const)(
    "is what the session's own fold has, after every call of a session with edits %s",
    async (_, run, had) => {
      const host = await run();
      const rows = await host.journal.rows(key, { limit: 1000 });
      const outline = new ContextOutline();
      for (const row of rows) {
        for (const event of readBody(row.body).events) outline.apply(event);
        expect(outline.list(), `after call ${row.sessionSeq}, ${row.hook}`).toEqual(
          listed(await host.session("s", row.sessionSeq)),
        );
      }
      const types = new Set(host.events.map(({ type }) => type));
      for (const type of ["history.compacted", ...had] as const) expect(types, "the session had one").toContain(type);
    },
  );

  it("goes on from a snapshot", async () => {
    const host = await eventful();
    const last = host.live("s").position;
    const snapshot = (await host.journal.load(key, last))?.snapshot;
    const outline = ContextOutline.ofSnapshot(snapshot?.body ?? "");
    expect(snapshot).toBeTruthy();
    expect(outline.list()).toEqual(listed(await host.session("s", snapshot?.sessionSeq)));
    for (const row of await host.journal.rows(key, { from: (snapshot?.sessionSeq ?? 0) + 1, limit: 1000 })) {
      for (const event of readBody(row.body).events) outline.apply(event);
    }
    expect(outline.list()).toEqual(listed(host.live("s")));
  });
});

describe("a pass of a session that is too long to go through", () => {
  it("is read from a snapshot on, and refused where it was made before it", async () => {
    const host = await eventful();
    const last = host.live("s").position;
    const passes = host.published("history.compacted").map(({ pass_id }) => pass_id);
    const newest = String(passes.at(-1));
    const whole = await readPass(host.journal, key, last, newest);
    const fromSnapshot = await readPass(host.journal, key, last, newest, 10);
    expect(fromSnapshot.before).toEqual(whole.before);
    expect(fromSnapshot.after).toEqual(whole.after);
    expect(fromSnapshot.previousPassId).toBe(whole.previousPassId);
    expect({ ...fromSnapshot.course, promptTokens: null }).toEqual({ ...whole.course, promptTokens: null });
    const early = await refused(readPass(host.journal, key, last, "p1", 10), "content_not_found");
    expect(early.data["from_position"]).toBeGreaterThan(1);
  });
});
