import { describe, expect, it } from "vitest";

interface Decision {
  readonly before: number | null;
  readonly after: number | null;
  readonly kind: string;
  readonly what: string;
  readonly turn: number;
  readonly to: number;
  readonly window: number;
  readonly passId: string | null;
  readonly outcome: string;
}
type Entry = { position: number; at: number; type: string; data: Record<string, unknown> };

const READ = "../../src/ui/static/screens/session/read";
const { Decisions } = (await import(`${READ}/decisions.js`)) as {
  Decisions: new () => { of(entries: Entry[], now: object): Decision[] };
};
const { lifeOf, lifeWords } = (await import(`${READ}/phrase.js`)) as {
  lifeOf(matches: object[], turn: number): { from: number; to: number; state: string }[];
  lifeWords(life: object[]): [string, boolean][];
};

let position = 0;
const entry = (type: string, data: Record<string, unknown>): Entry => ({ position: ++position, at: 0, type, data });
const turn = (n: number): Entry => entry("turn.started", { turn: n });
const skipped = (): Entry => entry("compaction.skipped", { reason: "break_even", gate: null });
const pass = (id: string): Entry =>
  entry("history.compacted", {
    ...{ pass_id: id, strategy: "eviction", summarizer: "none", cause: "orange", edits: 2 },
    ...{ tokens_before: 900, tokens_after: 500, target_tokens: 480, waited_ms: 0 },
  });
const evicted = (id: string, block = "b1"): Entry => entry("block.evicted", { pass_id: id, block_id: block });
const regret = (id: string): Entry =>
  entry("regret.detected", {
    ...{ pass_id: id, block_id: "b1", block_type: "tool_result", tool_name: "grep", kind: "reread" },
    ...{ turns_since: 2, evicted_turn: 3, turn: 5 },
  });
const now = { turn: 9, window_number: 1 };
const told = (entries: Entry[]): Decision[] => new Decisions().of(entries, now);

describe("the decisions of a session", () => {
  it("tell the events of one pass once, with what was needed of it later", () => {
    const [made, need, ...rest] = told([
      turn(3),
      evicted("p1"),
      evicted("p1", "b2"),
      pass("p1"),
      turn(5),
      regret("p1"),
    ]);
    expect(made).toMatchObject({ kind: "Eviction", what: "Edited 2 blocks: all evicted", turn: 3, passId: "p1" });
    expect(made?.outcome).toBe("1 needed again");
    expect(need).toMatchObject({ kind: "Regret", turn: 5, passId: null });
    expect(rest).toEqual([]);
  });

  it("tell one reason not to edit once, however many turns it is given in", () => {
    const [none, again] = told([turn(4), skipped(), turn(5), skipped(), turn(6), turn(7), skipped()]);
    expect(none).toMatchObject({ kind: "No edit", what: "No pass in 2 turns", turn: 4, to: 5 });
    expect(again).toMatchObject({ turn: 7, to: 7 });
  });

  it("tell what was cut as it came in once a turn and rule, with the tokens of all", () => {
    const cut = (handle: string, rule = "ingest.head_tail"): Entry =>
      entry("block.truncated", { pass_id: null, handle, rule, tokens_before: 900, tokens_after: 100 });
    const [one, several, other] = told([turn(3), cut("h-1"), turn(4), cut("h-2"), cut("h-3"), cut("h-4", "limit")]);
    expect(one).toMatchObject({ turn: 3, what: "Cut a result to its head and tail as it came in", before: 900 });
    expect(one?.outcome).toBe("original behind h-1");
    expect(several).toMatchObject({ turn: 4, before: 1_800, after: 200, outcome: "originals behind 2 handles" });
    expect(several?.what).toBe("Cut 2 results to head and tail as they came in");
    expect(other?.outcome).toBe("original behind h-4");
  });

  it("know turn and window of what comes before the first that is told of them", () => {
    const opened = entry("window.opened", { number: 3, cause: "requested", checkpoint_id: "c1", max_tokens: 8_000 });
    const spike = (): Entry => entry("velocity.spiked", { growth_tokens: 9, baseline_tokens: 3, turn: 0 });
    const decisions = told([spike(), opened, turn(8), spike()]);
    expect(decisions.map(({ turn: at, window }) => [at, window])).toEqual([
      [7, 2],
      [7, 3],
      [8, 3],
    ]);
  });

  it("stay the same objects until something is added to them, and follow pages of what was before", () => {
    const decisions = new Decisions();
    const later = [turn(3), pass("p1")];
    const [first] = decisions.of(later, now);
    later.push(turn(4), skipped());
    expect(decisions.of(later, now)[0]).toBe(first);
    later.push(regret("p1"));
    expect(decisions.of(later, now)[0]?.outcome).toBe("1 needed again");
    expect(decisions.of([turn(2), skipped(), ...later], now)).toHaveLength(4);
  });
});

describe("the life of a phrase", () => {
  const match = (from: number, to: number | null, state = "held") => ({
    ...{ block_id: "b1", type: "tool_result", tool_name: "grep", state },
    intervals: [{ from_turn: from, to_turn: to }],
  });

  it("has a stretch for each time it was held, and one for each time it was not", () => {
    const life = lifeOf([match(3, 6, "evicted"), match(9, null)], 12);
    expect(life.map(({ from, to, state }) => [from, to, state])).toEqual([
      [3, 6, "held"],
      [6, 9, "evicted"],
      [9, 13, "held"],
    ]);
    const words = lifeWords(life).map(([text]) => text);
    expect(words.join("")).toBe(
      "First seen at turn 3. Out of the context for 3 turns, turns 6 to 8. Back since turn 9, in grep.",
    );
  });

  it("is not out of the context while another block holds it", () => {
    expect(lifeOf([match(3, 6, "evicted"), match(2, null)], 8).every(({ state }) => state === "held")).toBe(true);
    expect(lifeWords(lifeOf([], 8))[0]?.[0]).toMatch(/^Not found/);
  });
});
