import { passOf } from "./passes.js";
import { tell } from "./tellings.js";

/**
 * The journal's events as decisions, oldest first. Events of one pass are one decision, a refused prompt and what was done
 * about it another; the same reason not to edit, turn after turn, is told once. A decision is
 * { key, position, at, turn, to, window, kind, group, shape, what, why, before, after, figure, outcome, passId, entries }.
 * `group`: `edits`, `again` (needed again) or null.
 */
export class Decisions {
  #story = null;
  #entries = [];
  #taken = 0;

  /** The decisions of a history: what was told before is the same object until something was added to it. */
  of(entries, now) {
    const isLonger = this.#story !== null && entries.length >= this.#taken && entries[0] === this.#entries[0];
    if (!isLonger) {
      this.#story = new Story(entries, now);
      this.#taken = 0;
    }
    this.#entries = entries;
    for (; this.#taken < entries.length; this.#taken++) this.#story.take(entries[this.#taken]);
    return this.#story.told();
  }
}

class Story {
  #decisions = [];
  #passes = new Map();
  /** Entries of passes whose own line has not come yet. */
  #waiting = new Map();
  #alerts = new Map();
  #jobs = new Map();
  #overflow = null;
  #turn;
  #window;

  constructor(entries, { turn, window_number: window }) {
    const firstTurn = entries.find(({ type }) => type === "turn.started");
    const firstWindow = entries.find(({ type }) => type === "window.opened");
    this.#turn = firstTurn === undefined ? turn : firstTurn.data.turn - 1;
    this.#window = firstWindow === undefined ? window : Math.max(1, firstWindow.data.number - 1);
  }

  take(entry) {
    const { type, data } = entry;
    if (type === "turn.started") this.#turn = data.turn;
    if (type === "window.opened") this.#window = data.number;
    // Whatever names a pass is told with it, a type that is new here as well.
    if ((data.pass_id ?? null) !== null) this.#takePass(entry);
    else this.#takeOther(entry);
  }

  told() {
    return this.#decisions.map((decision) => {
      const { told, entries, to } = decision;
      if (told?.count !== entries.length || told.shown.to !== to) {
        const { told: _, ...own } = decision;
        decision.told = { count: entries.length, shown: { ...own, ...this.#words(decision) } };
      }
      return decision.told.shown;
    });
  }

  #words({ type, entries }) {
    return type === "pass" ? passOf(entries) : tell(type, entries);
  }

  #open(type, entry, extra = {}) {
    const { position, at } = entry;
    const decision = {
      key: `${position}.${entry.type}.${entry.data.pass_id ?? entry.data.block_id ?? entry.data.alert ?? ""}`,
      type,
      position,
      at,
      turn: this.#turn,
      to: this.#turn,
      window: this.#window,
      passId: null,
      entries: [entry],
      ...extra,
    };
    this.#decisions.push(decision);
    return decision;
  }

  #takePass(entry) {
    const id = entry.data.pass_id;
    const pass = this.#passes.get(id);
    if (pass !== undefined) pass.entries.push(entry);
    else if (entry.type === "history.compacted") {
      const made = this.#open("pass", entry, { passId: id });
      made.entries.push(...(this.#waiting.get(id) ?? []));
      this.#passes.set(id, made);
      this.#waiting.delete(id);
    } else this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), entry]);
    // A need is of the pass that took it out, and an event of the turn in which it arose.
    if (entry.type === "regret.detected") this.#once(entry, (data) => data.pass_id === entry.data.pass_id);
  }

  /** What happens several times in a turn, to things that are alike, is told once. */
  #once(entry, isAlike) {
    const same = this.#decisions.findLast(
      ({ type, turn, window, entries: [first] }) =>
        type === entry.type && turn === this.#turn && window === this.#window && isAlike(first.data),
    );
    if (same === undefined) this.#open(entry.type, entry);
    else same.entries.push(entry);
  }

  #takeOther(entry) {
    const { type, data } = entry;
    if (JOINED[type] !== undefined) this.#join(entry, JOINED[type]);
    else if (type === "alert.raised") this.#alerts.set(data.alert, this.#open("alert.raised", entry));
    else if (type === "compaction.started") this.#jobs.set(data.job_id, this.#open(type, entry));
    else if (type === "overflow.reported") this.#overflow = this.#open(type, entry);
    else if (type === "compaction.skipped") this.#skip(entry);
    else if (AS_IT_CAME_IN.has(type)) this.#once(entry, (first) => first.rule === data.rule);
    else if (!SILENT.has(type) && !(type === "zone.changed" && data.cause === "edit")) this.#open(type, entry);
  }

  /** Goes on with a decision that is still open; one of its own where that is not known. */
  #join(entry, of) {
    const known = of === "alert" ? this.#alerts : of === "job" ? this.#jobs : null;
    const key = of === "alert" ? entry.data.alert : entry.data.job_id;
    const open = known === null ? this.#overflow : known.get(key);
    if (open === undefined || open === null) {
      this.#open(entry.type, entry);
      return;
    }
    open.entries.push(entry);
    if (of === "alert") known.delete(key);
    if (of === "overflow") this.#overflow = null;
  }

  /** One reason not to edit, given at turn after turn. */
  #skip(entry) {
    const last = this.#decisions.findLast(({ window, type }) => type !== "zone.changed" && window === this.#window);
    const isSame = last?.type === "compaction.skipped" && last.entries.at(-1).data.reason === entry.data.reason;
    if (!isSame || this.#turn - last.to > 1) {
      this.#open(entry.type, entry);
      return;
    }
    last.entries.push(entry);
    last.to = this.#turn;
  }
}

/** Types that tell how something ended that another type began. */
const JOINED = {
  "alert.resolved": "alert",
  "summary.prepared": "job",
  "results.prepared": "job",
  "summary.failed": "job",
  "summary.dropped": "job",
  "overflow.recovered": "overflow",
  "overflow.given_up": "overflow",
};

/** Types of edits that no pass made: of a result as it came in. */
const AS_IT_CAME_IN = new Set(["block.truncated", "block.summarized"]);

/** Types that move the story and are no decision. */
const SILENT = new Set(["turn.started", "turn.ended", "window.closed", "block.evicted", "block.merged"]);
