import type { ValueKind } from "../lines/index.ts";
import type { Book, Entry } from "./book.ts";
import type { Line, Term, Value } from "./vocabulary.ts";

/** Entries that may hold a value for it to be evidence of its own. */
const RARE = 6;
/** Entries that may hold a value for its use to be evidence for the lines nearby. */
const KNOWN = 12;
/** Lines to each side that count as neighbours. */
const REACH = 2;

/** What the use of a block's values tells of all its lines. */
export interface EntryUse {
  /** Values of the entry that the assistant ever mentioned. */
  readonly mentioned: number;
  /** Sum of 1 / entries over those mentioned after it. */
  readonly late: number;
  /** Sum of exp(-turns since the mention / 10). */
  readonly recent: number;
}

/** What was done to the files of an entry. */
export interface FileUse {
  readonly touches: number;
  /** Turn of the latest. */
  readonly latest: number;
  /** Touches after the entry. */
  readonly later: number;
  readonly editedLater: boolean;
  /** The same kind of work was done again. */
  readonly superseded: boolean;
}

/** Turns in which the memory of a term fades to 1 / e. */
const FADES = { lately: 6, long: 25 } as const;
type Fade = keyof typeof FADES;
/** Recencies below this age are looked up. */
const OLDEST_LOOKED_UP = 256;

const recencies = (turns: number) =>
  Float64Array.from({ length: OLDEST_LOOKED_UP }, (_, age) => Math.exp(-age / turns));
const RECENCIES: Readonly<Record<Fade, Float64Array>> = {
  lately: recencies(FADES.lately),
  long: recencies(FADES.long),
};

/** How much of what an entry is about the agent is at: shares of its terms, by their specificity. */
export interface EntryFocus {
  readonly lately: number;
  readonly long: number;
  readonly task: number;
}

interface Nearness {
  readonly recency: number;
  readonly mentions: number;
}

/** The book as one pass sees it: the current turn, and what many lines ask for, found once. */
export class PassView {
  readonly book: Book;
  /** The current turn. */
  readonly turn: number;
  readonly #uses = new Map<Entry, EntryUse>();
  readonly #fileUses = new Map<Entry, FileUse>();
  readonly #nearness = new Map<Line, Nearness>();
  readonly #focuses = new Map<Entry, EntryFocus>();
  readonly #kindRates = new Map<ValueKind, number>();
  readonly #logLines: number;
  readonly #lines: number;

  constructor(book: Book) {
    this.book = book;
    this.turn = book.turn;
    this.#lines = Math.max(1, book.vocabulary.lineCount);
    this.#logLines = Math.log1p(this.#lines);
  }

  /** True of a value that the context does not show and that few entries hold: the ledger is where it can be found. */
  isHidden(value: Value): boolean {
    return value.shown === 0 && value.entries >= 1 && value.entries <= RARE;
  }

  /** exp(-turns since the last mention / halfTurns); 0 when the assistant never mentioned it. */
  recency(value: Value, turns: number): number {
    return value.mentions === 0 ? 0 : Math.exp(-Math.max(0, this.turn - value.lastMention) / turns);
  }

  /** How few lines hold the term: ln(1 + lines / lines that hold it) over its most, 0 to 1. */
  specificity(term: Term): number {
    return Math.log1p(this.#lines / term.lines) / this.#logLines;
  }

  /** exp(-turns since the assistant's last mention / `FADES`); 0 when it never wrote the term. */
  termRecency({ lastMention }: Term, fade: Fade): number {
    const age = Math.max(0, this.turn - lastMention);
    return age < OLDEST_LOOKED_UP ? (RECENCIES[fade][age] as number) : 0;
  }

  /** Whether the term stands in what came in last: the latest results or messages of the user. */
  wasHeardLast({ lastHeard }: Term): boolean {
    return lastHeard >= this.book.heardFrom;
  }

  /** ln of how often values of the kind are used again, against all. */
  rateOfKind(kind: ValueKind): number {
    let rate = this.#kindRates.get(kind);
    if (rate === undefined) {
      rate = this.book.rates.relative(this.book.rates.of(kind));
      this.#kindRates.set(kind, rate);
    }
    return rate;
  }

  /** The same of what the writer of the entry wrote. */
  rateOfSource({ sourceRate }: Entry): number {
    return this.book.rates.relative(sourceRate);
  }

  focusOf(entry: Entry): EntryFocus {
    let focus = this.#focuses.get(entry);
    if (!focus) {
      focus = this.#measureFocus(entry);
      this.#focuses.set(entry, focus);
    }
    return focus;
  }

  /** The newest entry that holds the line. */
  entryOf(line: Line): Entry {
    return this.book.entries[line.entry] as Entry;
  }

  useOf(entry: Entry): EntryUse {
    let use = this.#uses.get(entry);
    if (!use) {
      use = this.#measureUse(entry);
      this.#uses.set(entry, use);
    }
    return use;
  }

  touchesOf(entry: Entry): FileUse {
    let use = this.#fileUses.get(entry);
    if (!use) {
      use = this.#measureFiles(entry);
      this.#fileUses.set(entry, use);
    }
    return use;
  }

  /** The most used values on the lines around a line, in its newest entry. */
  aroundOf(line: Line): Nearness {
    const { lines } = this.entryOf(line);
    let recency = 0;
    let mentions = 0;
    for (let at = Math.max(0, line.before - REACH); at <= Math.min(lines.length - 1, line.before + REACH); at++) {
      if (at === line.before) continue;
      const near = this.#nearnessOf(lines[at] as Line);
      recency = Math.max(recency, near.recency);
      mentions = Math.max(mentions, near.mentions);
    }
    return { recency, mentions };
  }

  #nearnessOf(line: Line): Nearness {
    let near = this.#nearness.get(line);
    if (!near) {
      let recency = 0;
      let mentions = 0;
      for (const value of line.values) {
        if (value.entries > KNOWN) continue;
        recency = Math.max(recency, this.recency(value, 8));
        mentions = Math.max(mentions, Math.log1p(value.mentions));
      }
      near = { recency, mentions };
      this.#nearness.set(line, near);
    }
    return near;
  }

  #measureUse({ values, turn }: Entry): EntryUse {
    let mentioned = 0;
    let late = 0;
    let recent = 0;
    for (const value of values) {
      if (value.mentions > 0) mentioned++;
      if (value.lastMention > turn) late += 1 / Math.max(1, value.entries);
      recent += this.recency(value, 10);
    }
    return { mentioned, late, recent };
  }

  #measureFocus({ terms }: Entry): EntryFocus {
    let total = 1e-6;
    let lately = 0;
    let long = 0;
    let task = 0;
    for (const term of terms) {
      const specific = this.specificity(term);
      total += specific;
      lately += specific * this.termRecency(term, "lately");
      long += specific * this.termRecency(term, "long");
      if (term.inTask) task += specific;
    }
    return { lately: lately / total, long: long / total, task: task / total };
  }

  #measureFiles({ number, activity, files }: Entry): FileUse {
    const touches = [...files].flatMap((file) => this.book.touches.get(file) ?? []);
    const later = touches.filter((touch) => touch.entry > number);
    return {
      touches: touches.length,
      latest: touches.reduce((latest, touch) => Math.max(latest, touch.turn), 0),
      later: later.length,
      editedLater: later.some((touch) => touch.activity === "edit"),
      superseded: later.some((touch) => touch.activity === activity),
    };
  }
}
