import type { Passage } from "../model/passage.ts";

/** A live unit as the search for a subtask sees it. */
export interface SubtaskUnit {
  readonly unitId: number;
  readonly tokens: number;
  readonly passages: readonly Passage[];
}

/** What a task for another agent would be made of. */
export interface Subtask {
  readonly title: string;
  readonly goal: string;
  /** Files that the subtask is about, the most named first. */
  readonly files: readonly string[];
  /** Ids of its units, in order. */
  readonly units: readonly number[];
  readonly tokens: number;
}

/** A run of fewer units is no subtask. */
const LEAST_UNITS = 3;
/** Units that are looked at: the latest. */
const MOST_UNITS = 256;
/** Names of one unit that are compared, and characters of a unit that are read for them. */
const MOST_NAMES = 64;
const MOST_READ = 8_192;
/** Names that more than this share of the units have tell no subtask from another. */
const COMMON = 0.7;
/** A run whose names the rest of the session uses to a larger share is no subtask of its own. */
const MOST_SHARED = 0.34;
const MOST_FILES = 8;
const LONGEST_TITLE = 100;

/** Paths, dotted, snake and camel names. */
const NAME = /[\w.-]*\/[\w./-]*\w|\w+\.[a-z]\w{0,4}\b|\b[A-Za-z]+_\w+|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+/g;
const FILE = /\.[A-Za-z]\w{0,5}$/;

/**
 * The largest subtask that could be another agent's: a run of neighbouring units that share files and other names
 * with one another and few with the rest of the session, by its tokens and how much of it stands alone. null when no
 * run stands alone. Title and goal are an open todo that names what the run is about, else made of its files.
 */
export function largestSubtask(units: readonly SubtaskUnit[], openTodos: readonly string[]): Subtask | null {
  const looked = units.slice(-MOST_UNITS);
  const names = tellingNames(looked);
  const uses = usesOf(names);
  let best: { from: number; to: number; score: number } | null = null;
  for (let from = 0; from + LEAST_UNITS <= looked.length; from++) {
    if (names[from]?.size === 0) continue;
    const run = new Run(names, uses, from);
    while (run.grow()) {
      if (run.to - from < LEAST_UNITS || !run.endsNamed()) continue;
      const shared = run.sharedOutside();
      const tokens = tokensOf(looked.slice(from, run.to));
      const score = tokens * (1 - shared);
      if (shared <= MOST_SHARED && run.to - from < looked.length && score > (best?.score ?? 0))
        best = { from, to: run.to, score };
    }
  }
  return best === null ? null : specOf(looked.slice(best.from, best.to), names.slice(best.from, best.to), openTodos);
}

/** A growing run of units: the next one belongs to it while it shares a name with it. */
class Run {
  readonly #names: readonly ReadonlySet<string>[];
  readonly #uses = new Map<string, number>();
  readonly #total: ReadonlyMap<string, number>;
  to: number;

  constructor(names: readonly ReadonlySet<string>[], total: ReadonlyMap<string, number>, from: number) {
    this.#names = names;
    this.#total = total;
    this.to = from;
  }

  /** Takes the next unit in; false when it does not belong here. */
  grow(): boolean {
    const next = this.#names[this.to];
    if (next === undefined) return false;
    const belongs = this.#uses.size === 0 || next.size === 0 || [...next].some((name) => this.#uses.has(name));
    if (!belongs) return false;
    for (const name of next) this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
    this.to++;
    return true;
  }

  /** The last unit has names: one without any is between two that have, and no end. */
  endsNamed(): boolean {
    return (this.#names[this.to - 1]?.size ?? 0) > 0;
  }

  /** Share of the uses of the run's names that are outside of it, 0 to 1. */
  sharedOutside(): number {
    let inside = 0;
    let all = 0;
    for (const [name, uses] of this.#uses) {
      inside += uses;
      all += this.#total.get(name) ?? uses;
    }
    return all === 0 ? 1 : 1 - inside / all;
  }
}

function usesOf(names: readonly ReadonlySet<string>[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const unit of names) for (const name of unit) uses.set(name, (uses.get(name) ?? 0) + 1);
  return uses;
}

/** The names of each unit that at least two units have and not most of them. */
function tellingNames(units: readonly SubtaskUnit[]): ReadonlySet<string>[] {
  const names = units.map(namesOf);
  const uses = usesOf(names);
  const common = Math.max(2, COMMON * units.length);
  return names.map(
    (unit) => new Set([...unit].filter((name) => (uses.get(name) ?? 0) > 1 && (uses.get(name) ?? 0) <= common)),
  );
}

/** Names in what a unit says and in the calls it makes; results only tell what was looked at. */
function namesOf(unit: SubtaskUnit): ReadonlySet<string> {
  const found = new Set<string>();
  let read = MOST_READ;
  for (const passage of unit.passages) {
    if (passage.type === "tool_result" || read <= 0) continue;
    const text = (passage.tool?.argumentsText ?? passage.text).slice(0, read);
    read -= text.length;
    for (const [name] of text.matchAll(NAME)) {
      if (found.size === MOST_NAMES) return found;
      if (name.length > 3) found.add(name.replace(/^(?:\.\/)+/, ""));
    }
  }
  return found;
}

function tokensOf(units: readonly SubtaskUnit[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}

function specOf(
  units: readonly SubtaskUnit[],
  names: readonly ReadonlySet<string>[],
  openTodos: readonly string[],
): Subtask {
  const uses = [...usesOf(names)].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const files = uses.filter((name) => FILE.test(name)).slice(0, MOST_FILES);
  const todo = openTodos.find((item) => uses.some((name) => item.includes(name.slice(name.lastIndexOf("/") + 1))));
  const about = files[0] ?? uses[0] ?? "the session";
  const title = (todo ?? `Work on ${about}`).replace(/\s+/g, " ").slice(0, LONGEST_TITLE).trim();
  const goal =
    todo ??
    `Finish what concerns ${[...new Set([...files.slice(0, 3), about])].join(", ")}, and report what was found and changed.`;
  return { title, goal, files, units: units.map(({ unitId }) => unitId), tokens: tokensOf(units) };
}
