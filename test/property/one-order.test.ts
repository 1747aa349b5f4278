import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SerialQueue } from "../../src/manager/queue.ts";
import { ContextdError } from "../../src/model/errors.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { AppendRequest } from "../../src/store/journal.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { type Params, refused, TestManager } from "../support/manager.ts";
import { wire } from "../support/wire-messages.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const CLIENTS = 32;
const RACES = LONG ? 1_000 : 40;
const SEQUENCES = LONG ? 10_000 : 500;
const session = { session_id: "s" };

/** A journal whose commits come back in whatever order the scheduler likes. */
class ScheduledJournal extends MemoryJournal {
  readonly #scheduler: fc.Scheduler;

  constructor(scheduler: fc.Scheduler) {
    super();
    this.#scheduler = scheduler;
  }

  override async append(request: AppendRequest) {
    await this.#scheduler.schedule(Promise.resolve(), `commit ${request.sessionSeq}`);
    return super.append(request);
  }
}

/** The reference model keeps what is left of its messages, and knows none of contextd's own. */
const UNSUMMARISED = { compaction: { summarizer: "none" } };

/** Clients that all want to add their note at the revision they have read, and try again when they came too late. */
async function race(scheduler: fc.Scheduler): Promise<void> {
  const host = new TestManager({ journal: new ScheduledJournal(scheduler), checkReplies: false });
  const opened = host.call("session.open", session);
  await scheduler.waitFor(opened);
  const winners = new Map<number, string[]>();
  let late = 0;
  const client = async (name: number): Promise<void> => {
    for (let tries = 0; tries < 2; tries++) {
      const { revision } = await host.call("context.get", session);
      await scheduler.schedule(Promise.resolve(), `client ${name} has read revision ${revision}`);
      const text = `client ${name}, try ${tries}`;
      try {
        const reply = await host.call("context.append", { ...session, text, expected_revision: revision });
        expect(reply.revision, "a revision rises by one").toBe(revision + 1);
        winners.set(revision, [...(winners.get(revision) ?? []), text]);
        return;
      } catch (error) {
        if (!(error instanceof ContextdError) || error.reason !== "stale_revision") throw error;
        late++;
      }
    }
  };
  await scheduler.waitFor(Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name))));
  const won = [...winners].sort(([a], [b]) => a - b);
  expect(
    won.map(([revision]) => revision),
    "every revision has a winner",
  ).toEqual(won.map((_, index) => index));
  for (const [revision, texts] of won) expect(texts, `revision ${revision} has one winner`).toHaveLength(1);
  const { messages } = await host.call("context.get", { ...session, include: ["messages"] });
  expect(
    messages?.map((message) => message["content"]),
    "nothing is merged, nothing is lost",
  ).toEqual(won.map(([, [text]]) => text));
  expect(late, "some came too late").toBeGreaterThan(0);
  expect((await host.journal.verify({ tenant: "acme", id: "s" })).brokenAt).toBeNull();
  await host.manager.stop();
}

describe(`${CLIENTS} clients on one session`, () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("have exactly one winner a revision", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), (scheduler) => race(scheduler)),
      { numRuns: RACES },
    );
  });

  it("would have several without the session's queue (control)", async () => {
    vi.spyOn(SerialQueue.prototype, "run").mockImplementation((task) => task());
    const outcome = await fc.check(
      fc.asyncProperty(fc.scheduler(), (scheduler) => race(scheduler)),
      { numRuns: RACES, endOnFailure: true },
    );
    expect(outcome.failed).toBe(true);
  });
});

/** What a session should be: the plain list of what was taken. */
interface Model {
  messages: JsonObject[];
  turn: number;
  revision: number;
  pending: string[];
  calls: number;
  overflows: number;
  closed: boolean;
  /** Calls that had a key, with their replies. */
  answered: { readonly name: "context.append" | "on_turn_start"; readonly params: Params; readonly reply: unknown }[];
}

interface Real {
  host: TestManager;
}

type Step = fc.AsyncCommand<Model, Real>;
const { user, answer } = wire.openai;

/** One kind of call: when it may come, and what it does to both. */
function step(name: string, may: (model: Model) => boolean, run: (model: Model, real: Real) => Promise<void>): Step {
  return {
    check: (model) => may(model),
    async run(model, real) {
      await run(model, real);
      const now = await real.host.call("context.get", { ...session, include: ["messages"] });
      expect(now.messages).toEqual(model.messages);
      expect({ turn: now.turn, revision: now.revision }).toEqual({ turn: model.turn, revision: model.revision });
    },
    toString: () => name,
  };
}

const open = (model: Model) => !model.closed && model.pending.length === 0;
const waits = (model: Model) => !model.closed && model.pending.length > 0;

const steps = [
  fc
    .string({ maxLength: 8 })
    .map((any) => `note ${any}`)
    .map((text) =>
      step(`append ${JSON.stringify(text)}`, open, async (model, { host }) => {
        const params = {
          ...session,
          text,
          expected_revision: model.revision,
          idempotency_key: `k${model.answered.length}`,
        };
        const reply = await host.call("context.append", params);
        model.messages.push(user(text));
        model.revision++;
        model.answered.push({ name: "context.append", params, reply });
      }),
    ),
  fc.constant(
    step("start", open, async (model, { host }) => {
      const params = { ...session, messages: [user("Go on.")], idempotency_key: `k${model.answered.length}` };
      const reply = await host.call("on_turn_start", params);
      model.messages.push(user("Go on."));
      model.revision++;
      model.turn++;
      model.overflows = 0;
      expect(reply.messages).toEqual(model.messages);
      model.answered.push({ name: "on_turn_start", params, reply });
    }),
  ),
  fc.nat(3).map((count) =>
    step(`end with ${count} calls`, open, async (model, { host }) => {
      const ids = Array.from({ length: count }, () => `call_${++model.calls}`);
      const message = answer(
        "I look.",
        ids.map((id) => ({ id, name: "bash", input: {} })),
      );
      await host.call("on_turn_end", { ...session, message });
      model.messages.push(message);
      model.revision++;
      model.pending = ids;
    }),
  ),
  fc.constant(
    step("result", waits, async (model, { host }) => {
      const id = model.pending.shift() as string;
      await host.call("on_tool_result", { ...session, tool_call_id: id, tool_name: "bash", content: `out of ${id}` });
      model.messages.push({ role: "tool", tool_call_id: id, content: `out of ${id}` });
      model.revision++;
    }),
  ),
  fc.constant(
    step("start too early", waits, async (_model, { host }) => {
      await refused(host.call("on_turn_start", { ...session, messages: [user("Well?")] }), "invalid_history");
    }),
  ),
  fc.integer({ min: 1, max: 3 }).map((behind) =>
    step(
      `append ${behind} revisions too late`,
      (model) => open(model) && model.revision >= behind,
      async (model, { host }) => {
        const params = { ...session, text: "late", expected_revision: model.revision - behind };
        await refused(host.call("context.append", params), "stale_revision");
      },
    ),
  ),
  fc.nat(20).map((at) =>
    step(
      `retry call ${at}`,
      (model) => model.answered.length > 0,
      async (model, { host }) => {
        const earlier = model.answered[at % model.answered.length] as Model["answered"][number];
        expect(await host.call(earlier.name, earlier.params)).toEqual(earlier.reply);
      },
    ),
  ),
  fc.constant(
    step(
      "overflow",
      (model) => open(model) && model.turn > 0,
      async (model, { host }) => {
        const reply = await host.call("on_overflow", session);
        expect(reply.attempt).toBe(++model.overflows);
        // The reference model evicts nothing: it takes over what was handed back, and checks that it is a part of it.
        if (reply.messages) {
          const kept = reply.messages as JsonObject[];
          const had = new Set(model.messages.map((message) => JSON.stringify(message)));
          for (const message of kept) expect(had.has(JSON.stringify(message))).toBe(true);
          model.messages = kept;
          model.revision = reply.revision;
        } else expect(reply.action).toBe("give_up");
      },
    ),
  ),
  fc.constant(
    step(
      "restart",
      () => true,
      async (_model, real) => {
        real.host = await real.host.restarted();
      },
    ),
  ),
  fc.nat(15).map((dice) =>
    step(
      "close",
      (model) => dice === 0 && !model.closed,
      async (model, { host }) => {
        await host.call("session.close", session);
        model.closed = true;
      },
    ),
  ),
  fc.constant(
    step(
      "anything after the end",
      (model) => model.closed,
      async (_model, { host }) => {
        await refused(host.call("context.append", { ...session, text: "too late" }), "session_closed");
      },
    ),
  ),
];

describe("a session", () => {
  it("is what a plain list of its calls says, through retries, overflows and restarts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 40 }), async (sequence) => {
        const host = new TestManager({ checkReplies: false, snapshotEvery: 5 });
        await host.call("session.open", { ...session, model: "gpt-4o", system: "Be careful.", settings: UNSUMMARISED });
        const real: Real = { host };
        const model = (): Model => ({
          messages: [{ role: "system", content: "Be careful." }],
          turn: 0,
          revision: 1,
          pending: [],
          calls: 0,
          overflows: 0,
          closed: false,
          answered: [],
        });
        await fc.asyncModelRun(() => ({ model: model(), real }), sequence);
        await real.host.manager.stop();
      }),
      { numRuns: SEQUENCES },
    );
  });
});
