import { characters, indexOfWord, type ValueKind } from "../lines/index.ts";
import type { SplitMessage } from "../messages/index.ts";
import type { Role } from "../model/message.ts";
import { DistinctLines } from "./distinct-lines.ts";

/** A value in more earlier messages than this is common knowledge of the run. */
export const MOST_MESSAGES = 6;

/** A value that the agent wrote and that it must have from an earlier message. */
export interface Need {
  /** Running number of the value among those of the run that are ever needed. */
  readonly index: number;
  readonly value: string;
  readonly kind: ValueKind;
  /** 1 / number of earlier messages that hold it. */
  readonly weight: number;
  readonly holders: number;
  /** Role of the first message that held it. */
  readonly origin: Role;
  /** The latest earlier message that holds it, by its place in the run. */
  readonly lastHeldBy: number;
}

/** What a run asks of its context, found once: it does not depend on how the run is replayed. */
export interface RunNeeds {
  /** Places of the assistant messages: each is a request. */
  readonly turns: readonly number[];
  /** The system messages and the first user message. */
  readonly pinned: readonly boolean[];
  /** By the place of the assistant message; a turn without needs is absent. */
  readonly byTurn: ReadonlyMap<number, readonly Need[]>;
  /** Every value ever needed, by its running number. */
  readonly values: readonly string[];
  /** Needed values on each line of the run that has any, by the line's trimmed text. */
  readonly onLine: ReadonlyMap<string, readonly number[]>;
  /** Every line of the run, trimmed. */
  readonly lines: ReadonlySet<string>;
}

/**
 * Finds the needs of a run. A candidate value of an assistant message is needed if it stands in an earlier message, at
 * the latest before the previous assistant message; in no pinned text; in at most six earlier messages; is no tool name
 * of the run and no background vocabulary; and is no part of a longer need that the same messages hold.
 */
export function findNeeds(messages: readonly SplitMessage[], background: ReadonlySet<string>): RunNeeds {
  const lines = new DistinctLines();
  for (const message of messages) lines.add(message);
  const firstUser = messages.findIndex(({ role }) => role === "user");
  const pinned = messages.map(({ role }, place) => role === "system" || place === firstUser);
  const turns = messages.flatMap(({ role }, place) => (role === "assistant" ? [place] : []));
  const toolNames = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((p) => (p.kind === "tool_call" ? p.name : []))),
  );
  const isCommon = (value: string) => background.has(value) || toolNames.has(value);
  const holders = new Holders(lines, pinned);
  const needed = new Map<string, number>();
  const byTurn = new Map<number, readonly Need[]>();
  for (const [number, turn] of turns.entries()) {
    const previous = turns[number - 1] ?? -1;
    const found: Mention[] = [];
    for (const [value, kind] of lines.mentions(turn)) {
      if (isCommon(value)) continue;
      const earlier = holders.before(value, turn);
      if (isNeeded(earlier, previous)) found.push({ value, kind, earlier });
    }
    const kept = withoutPartsOfOthers(found);
    if (kept.length > 0) {
      byTurn.set(
        turn,
        kept.map(({ value, kind, earlier }) => ({
          index: numberOf(value, needed),
          value,
          kind,
          weight: 1 / earlier.length,
          holders: earlier.length,
          origin: (messages[earlier[0] as number] as SplitMessage).role,
          lastHeldBy: earlier.at(-1) as number,
        })),
      );
    }
  }
  return {
    turns,
    pinned,
    byTurn,
    values: [...needed.keys()],
    onLine: holders.linesOf(needed),
    lines: new Set(lines.keys),
  };
}

/** A value of an assistant message. */
export interface Mention {
  readonly value: string;
  readonly kind: ValueKind;
  /** Places of the earlier messages that hold it, rising; none where pinned text does. */
  readonly earlier: readonly number[];
}

/** Whether a value that these earlier messages hold is needed; `previous`: place of the previous assistant message. */
export function isNeeded(earlier: readonly number[], previous: number): boolean {
  const last = earlier.at(-1);
  return last !== undefined && last < previous && earlier.length <= MOST_MESSAGES;
}

/** Longest first; of those that hold one another and stand in the same messages, only the longest. */
export function withoutPartsOfOthers<Found extends Mention>(found: readonly Found[]): Found[] {
  const kept: Found[] = [];
  const longestFirst = found.map((one) => ({ one, length: characters(one.value) })).sort((a, b) => b.length - a.length);
  for (const { one } of longestFirst) {
    const isPart = kept.some(({ value, earlier }) => value.includes(one.value) && isSame(earlier, one.earlier));
    if (!isPart) kept.push(one);
  }
  return kept;
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((place, index) => place === b[index]);
}

function numberOf(value: string, numbers: Map<string, number>): number {
  const known = numbers.get(value) ?? numbers.size;
  numbers.set(value, known);
  return known;
}

/** Finds which lines, and so which messages, hold a value: it stands there whole, neither begun nor ended in a word. */
class Holders {
  readonly #lines: DistinctLines;
  /** All distinct lines in one text: a value never spans two. */
  readonly #text: string;
  readonly #starts: number[] = [];
  readonly #isPinned: readonly boolean[];
  readonly #found = new Map<string, { readonly lines: readonly number[]; readonly places: readonly number[] }>();

  constructor(lines: DistinctLines, pinned: readonly boolean[]) {
    this.#lines = lines;
    let start = 0;
    for (const text of lines.texts) {
      this.#starts.push(start);
      start += text.length + 1;
    }
    this.#text = lines.texts.join("\n");
    this.#isPinned = lines.shownBy.map((places) => places.some((place) => pinned[place]));
  }

  /** Places of the messages before `turn` that hold the value, rising; none when pinned text holds it. */
  before(value: string, turn: number): number[] {
    return this.#of(value).places.filter((place) => place < turn);
  }

  /** Which of the given values stand on each line that has any. */
  linesOf(values: ReadonlyMap<string, number>): Map<string, number[]> {
    const onLine = new Map<string, number[]>();
    for (const [value, number] of values) {
      for (const line of this.#of(value).lines) {
        const key = this.#lines.keys[line] as string;
        const there = onLine.get(key);
        if (there) there.push(number);
        else onLine.set(key, [number]);
      }
    }
    return onLine;
  }

  #of(value: string) {
    let found = this.#found.get(value);
    if (found === undefined) {
      found = this.#search(value);
      this.#found.set(value, found);
    }
    return found;
  }

  #search(value: string): { readonly lines: readonly number[]; readonly places: readonly number[] } {
    const lines: number[] = [];
    let at = indexOfWord(this.#text, value);
    while (at >= 0) {
      const line = lineAt(this.#starts, at);
      if (this.#isPinned[line]) return { lines: [], places: [] };
      lines.push(line);
      const next = this.#starts[line + 1];
      if (next === undefined) break;
      at = indexOfWord(this.#text, value, next);
    }
    const places = new Set(lines.flatMap((line) => this.#lines.shownBy[line] as number[]));
    return { lines, places: [...places].sort((a, b) => a - b) };
  }
}

/** Number of the line that holds the index: the last one that starts at or before it. */
function lineAt(starts: readonly number[], index: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= index) low = middle;
    else high = middle;
  }
  return low;
}
