import { afterEach, describe, expect, it } from "vitest";
import type { EventData, GateFigures, PublishedEvent } from "../../../src/model/events.ts";
import { GATE, published } from "../../support/published-event.ts";
import { type Bench, bench } from "./fixture.ts";

const open: Bench[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.metrics.close();
});
function fresh(): Bench {
  const made = bench();
  open.push(made);
  return made;
}

/** Frees 10,000 tokens that cost 0.1 each a turn: 1,000 a turn. */
const gate = (cost: number, over: Partial<GateFigures> = {}): GateFigures => ({
  ...(GATE as GateFigures),
  ...{ tokens_freed: 10_000, read_price: 0.1, cost, decided: true },
  ...over,
});

const PASS: Omit<EventData["history.compacted"], "gate"> = {
  ...({ pass_id: "p1", strategy: "eviction", summarizer: "none", cause: "orange", job_id: null } as const),
  ...{ messages_before: 40, messages_after: 20, tokens_before: 100_000, tokens_after: 90_000, target_tokens: 90_000 },
  ...{
    edits: 12,
    considered_blocks: null,
    considered_tokens: null,
    generation: 1,
    waited_ms: 0,
    shallower: null,
    thresholds: { yellow: 0.6, orange: 0.75, red: 0.9 },
    scoring: null,
  },
};

const edit = (figures: GateFigures | null, session = "s1") =>
  published("history.compacted", { ...PASS, gate: figures }, { session });
const turns = (count: number, session = "s1"): PublishedEvent[] =>
  Array.from({ length: count }, (_, index) => published("turn.started", { turn: index + 2 }, { session }));
const closed = published("session.closed", { reason: "done", turns: 9, revision: 9 });

const PROFILE = 'profile="default-128k"';
async function observed({ value }: Bench): Promise<{ count: number; sum: number }> {
  const [count, sum] = await Promise.all(
    ["count", "sum"].map((part) => value(`contextd_edit_payback_turns_${part}{${PROFILE}}`)),
  );
  return { count: count as number, sum: sum as number };
}
const NOTHING = { count: Number.NaN, sum: Number.NaN };

describe("contextd_edit_payback_turns", () => {
  it("tells the turn in which the savings have reached the cost, once", async () => {
    const metrics = fresh();
    metrics.metrics.observer.observe([edit(gate(2_500)), ...turns(2)]);
    expect(await observed(metrics)).toEqual(NOTHING);
    metrics.metrics.observer.observe(turns(7));
    expect(await observed(metrics)).toEqual({ count: 1, sum: 3 });
    expect(await metrics.value(`contextd_edit_payback_turns_bucket{le="2",${PROFILE}}`)).toBe(0);
    expect(await metrics.value(`contextd_edit_payback_turns_bucket{le="3",${PROFILE}}`)).toBe(1);
  });

  it("takes an edit that costs nothing for one that pays back in its first turn", async () => {
    const metrics = fresh();
    metrics.metrics.observer.observe([edit(gate(0)), ...turns(1)]);
    expect(await observed(metrics)).toEqual({ count: 1, sum: 1 });
  });

  it.each<[string, PublishedEvent]>([
    ["a further edit", edit(null)],
    ["the end of the session", closed],
  ])("is above the last bucket where %s came first", async (_, ending) => {
    const metrics = fresh();
    metrics.metrics.observer.observe([edit(gate(2_500)), ...turns(2), ending, ...turns(5)]);
    expect(await metrics.value(`contextd_edit_payback_turns_bucket{le="89",${PROFILE}}`)).toBe(0);
    expect(await metrics.value(`contextd_edit_payback_turns_bucket{le="+Inf",${PROFILE}}`)).toBe(1);
    expect((await observed(metrics)).sum).toBeLessThan(1_000);
  });

  it("does not count edits that the gate had no say in", async () => {
    const metrics = fresh();
    metrics.metrics.observer.observe([
      edit(gate(500, { decided: false })),
      ...turns(5),
      edit(null),
      ...turns(5),
      closed,
    ]);
    expect(await observed(metrics)).toEqual(NOTHING);
  });

  it("keeps sessions apart, those of one name of two tenants too", async () => {
    const metrics = fresh();
    const elsewhere = turns(5).map((event) => ({ ...event, tenant: "other" }));
    metrics.metrics.observer.observe([edit(gate(2_500)), ...turns(5, "s2"), ...elsewhere]);
    expect(await observed(metrics)).toEqual(NOTHING);
  });

  it("remembers the last edit of the ten thousand sessions edited last, and no other", async () => {
    const metrics = fresh();
    const sessions = Array.from({ length: 10_001 }, (_, index) => `s${index}`);
    metrics.metrics.observer.observe(sessions.map((session) => edit(gate(1_000), session)));
    metrics.metrics.observer.observe(sessions.flatMap((session) => turns(1, session)));
    expect(await observed(metrics)).toEqual({ count: 10_000, sum: 10_000 });
  });
});
