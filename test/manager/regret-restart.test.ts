import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { readBody } from "../../src/manager/row.ts";
import type { Session } from "../../src/manager/session.ts";
import type { CoreEvent } from "../../src/model/events.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { textOf } from "../../src/model/part.ts";
import { dropping, evictingManager, type OrderedEdit } from "../support/evicting-manager.ts";
import { TENANT } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const FILES = 8;
const NAMES = 5;

/** What an agent does in a turn: it names something of a file, and reads or recalls one, or says no more. */
interface Step {
  readonly names: readonly (readonly [file: number, name: number])[];
  readonly does: "read" | "recall" | "talk";
  readonly file: number;
  readonly words: number;
  readonly fails: boolean;
  /** An edit beside those of the policy, of a block among the live results. */
  readonly edit: "none" | "drop" | "clear" | "merge" | "truncate" | "summarize";
  readonly at: number;
}

/** What happens to the session before a turn. */
type Interruption = "none" | "rest" | "restart";

interface Story {
  readonly format: MessageFormatName;
  readonly policy: string;
  readonly snapshotEvery: number;
  readonly canRecall: boolean;
  readonly steps: readonly Step[];
}

const anyStory: fc.Arbitrary<Story> = fc.record({
  format: fc.constantFrom(...MESSAGE_FORMATS),
  policy: fc.constantFrom("fifo", "lru", "drop_oldest", "regret", "none"),
  snapshotEvery: fc.constantFrom(1, 3, 1_000),
  canRecall: fc.boolean(),
  steps: fc.array(
    fc.record({
      names: fc.array(fc.tuple(fc.nat(FILES - 1), fc.nat(NAMES - 1)), { maxLength: 3 }),
      does: fc.constantFrom("read", "read", "read", "recall", "talk"),
      file: fc.nat(FILES - 1),
      words: fc.integer({ min: 20, max: 300 }),
      fails: fc.boolean(),
      edit: fc.constantFrom("none", "none", "drop", "clear", "merge", "truncate", "summarize"),
      at: fc.nat(20),
    }),
    { minLength: 10, maxLength: 30, size: "max" },
  ),
});

const nameOf = (file: number, name: number) => `value_${file}_${"abcde"[name]}`;

/** A file of which some lines name values, so that a ledger has a choice. */
function linesOf(file: number, text: string): string {
  const names = Array.from(
    { length: NAMES },
    (_, name) => `${nameOf(file, name)} stands for ${"this and ".repeat(name)}that`,
  );
  return [...names, text].join("\n");
}

/** Plays a story; answers the session's events as the journal has them. */
async function played(story: Story, interruptions: readonly Interruption[]): Promise<CoreEvent[]> {
  const seeded = evictingManager({ checkReplies: false, snapshotEvery: story.snapshotEvery });
  let host = seeded.host;
  const say = wire[story.format];
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    message_format: story.format,
    max_context_tokens: 2_000,
    can_recall: story.canRecall,
    settings: {
      // Whether two blocks are alike depends on what else was there when they were compared, so on restarts too.
      eviction: { policy: story.policy, keep_recent_units: 1, min_tokens_freed: 0, merge: { enabled: false } },
    },
  });
  let messages = [say.user("Mend the parser.")];
  for (const [at, step] of story.steps.entries()) {
    const interruption = interruptions[at % interruptions.length];
    if (interruption === "restart") host = await host.restarted();
    if (interruption === "rest") host.rest("s");
    if (at > 0 && step.edit !== "none") seeded.order.push(...editsOf(await host.session("s"), step));
    await host.call("on_turn_start", { ...session, messages, reply: "decision" });
    const text = `So ${step.names.map(([file, name]) => nameOf(file, name)).join(" and ")} it is.`;
    const call = { id: `c${at}`, name: "read_file", input: { path: `src/part_${step.file}` } };
    await host.call("on_turn_end", { ...session, message: say.answer(text, step.does === "read" ? [call] : []) });
    messages = [];
    if (step.does === "read") {
      const content = linesOf(step.file, prose(step.words, `part ${step.file}`));
      const result = { tool_call_id: call.id, tool_name: "read_file", content, is_error: step.fails };
      await host.call("on_tool_result", { ...session, ...result });
    } else {
      messages = [say.user("Go on.")];
      const gone = step.does === "recall" ? [...host.live("s").edits.keys()] : [];
      const block_id = gone[step.file % Math.max(1, gone.length)];
      if (block_id !== undefined) await host.call("content.recall", { ...session, block_id });
    }
  }
  const rows = await host.journal.rows({ tenant: TENANT, id: "s" }, { limit: 1_000 });
  await host.manager.stop();
  return rows.flatMap((row) => readBody(row.body).events as CoreEvent[]);
}

/** The event without what was expected of a missed line: of that a process knows what its own passes estimated. */
function decided(event: CoreEvent): unknown {
  if (event.type !== "regret.detected") return event;
  const { need: _need, cut_off: _cutOff, ...data } = event.data;
  return { ...event, data };
}

/** The edit that a step orders, of a result that still stands. */
function editsOf(before: Session, { edit, at }: Step): OrderedEdit[] {
  const results = [...before.blocks.values()].filter(
    ({ type, state }) => type === "tool_result" && state !== "cleared",
  );
  const block = results[at % Math.max(1, results.length)];
  if (!block) return [];
  if (edit === "drop") return dropping(before, block.id);
  const text = `${textOf(block.part).split(" ").slice(0, 2).join(" ")} [cut]`;
  return [{ blockId: block.id, text, method: edit === "clear" || edit === "none" ? "evict" : edit }];
}

describe("what is regretted", () => {
  const seen = new Set<string>();
  afterAll(() => expect([...seen].sort()).toEqual(["identifier", "ledger", "recall", "reread"]));

  it("and all that is decided is the same, however often the session leaves memory in between", async () => {
    const interruptions = fc.array(fc.constantFrom<Interruption>("none", "rest", "restart"), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(anyStory, interruptions, async (story, between) => {
        const undisturbed = await played(story, ["none"]);
        expect((await played(story, between)).map(decided)).toEqual(undisturbed.map(decided));
        for (const event of undisturbed) {
          if (event.type === "regret.detected") seen.add(event.data.kind);
          if (event.type === "ledger.rebuilt" && event.data.lines < event.data.candidates) seen.add("ledger");
        }
      }),
      { numRuns: 40 },
    );
  });

  it("is at most one need of each kind a block, within ten turns, and only of what left", async () => {
    await fc.assert(
      fc.asyncProperty(anyStory, async (story) => {
        const known = new Set<string>();
        const left = new Map<string, number>();
        for (const event of await played(story, ["none"])) {
          if (event.type === "block.evicted" || event.type === "block.merged") {
            left.set(event.data.block_id, event.data.turn);
          }
          if (event.type !== "regret.detected") continue;
          const { kind, block_id, turn, evicted_turn, turns_since, policy } = event.data;
          expect(known.has(`${kind} ${block_id}`), `${kind} of ${block_id} is told once`).toBe(false);
          known.add(`${kind} ${block_id}`);
          expect(turns_since).toBe(turn - evicted_turn);
          expect(turns_since).toBeGreaterThanOrEqual(0);
          expect(turns_since).toBeLessThanOrEqual(10);
          if (policy !== "cascade") expect(evicted_turn).toBeLessThanOrEqual(left.get(block_id) ?? -1);
        }
      }),
      { numRuns: 40 },
    );
  });
});
