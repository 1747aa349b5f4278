import { linesOfPart } from "../lines/index.ts";
import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { type Activity, activityOf, filesOf } from "./activity.ts";
import { type PieceLines, type Place, placeIn } from "./place.ts";
import { type Rate, ReuseRates } from "./reuse.ts";
import { isError, type Line, type LineSource, type Term, type Value, Vocabulary } from "./vocabulary.ts";

/** A piece of an entry: one block of the context. */
export interface Piece {
  readonly blockId: string;
  readonly part: Part;
}

/** What arrives at once: a message, or one tool's result. */
export interface Arrival {
  readonly role: Role;
  /** A system message or the task: always in the context. */
  readonly pinned: boolean;
  readonly pieces: readonly Piece[];
}

/** What the book keeps of an arrival. */
export interface Entry {
  readonly number: number;
  readonly role: Role;
  readonly turn: number;
  readonly pinned: boolean;
  readonly isDocument: boolean;
  readonly activity: Activity | null;
  /** Who wrote it, by role and tool, as a rate of reuse. */
  readonly sourceRate: Rate;
  readonly files: ReadonlySet<string>;
  readonly pieces: readonly PieceLines[];
  /** By position; empty once the entry is forgotten. */
  lines: readonly Line[];
  values: ReadonlySet<Value>;
  terms: ReadonlySet<Term>;
}

/** A call or a result that names a file. */
export interface Touch {
  readonly turn: number;
  readonly activity: Activity | null;
  readonly entry: number;
}

interface Work {
  readonly tool: string;
  readonly activity: Activity;
  readonly files: ReadonlySet<string>;
}

/** What a piece shows now. */
interface Shown {
  readonly entry: Entry;
  readonly lines: ReadonlySet<Line>;
}

const NOTHING: ReadonlySet<string> = new Set();
/** Entries that may hold a value for coming back to it to count as a use. */
const RARE = 6;
/** Turns without a value after which writing it is coming back to it. */
const LEAST_ABSENCE = 2;
/** Lines of one piece that are read, half of them from its end: bounds the time that a large result takes. */
const MOST_READ = 5000;
/** Hidden lines that are kept: a session may run on for ever. A multiple of those that a pass looks at. */
const MOST_HIDDEN = 12_000;
/** Latest entries of others that tell what the agent is answering. */
const HEARD = 2;

/**
 * Past-only record of a session's lines and values: who held them, when they were used, and what of them the context
 * shows now. Kept up as blocks arrive, leave and are cut; a turn is an assistant message, counted from 0. The cost of
 * each call is in proportion to the block it is about, and what is long gone is forgotten.
 */
export class Book {
  readonly vocabulary = new Vocabulary();
  readonly entries: Entry[] = [];
  /** Lines that have stood in the context and do so no more, the ledger aside; the latest to go stands last. */
  readonly hidden = new Set<Line>();
  readonly rates = new ReuseRates();
  readonly touches = new Map<string, Touch[]>();
  readonly #shown = new Map<string, Shown>();
  readonly #entryOf = new Map<string, Entry>();
  readonly #toolNames = new Set<string>();
  readonly #work = new Map<string, Work>();
  readonly #mostHidden: number;
  #latestWork: Work | null = null;
  readonly #heard: number[] = [];
  #assistants = 0;
  /** Turn of the newest entry of which something was taken out. */
  newestHidden = 0;

  constructor(mostHidden = MOST_HIDDEN) {
    this.#mostHidden = mostHidden;
  }

  /** Number of the turn that would come next. */
  get turn(): number {
    return this.#assistants;
  }

  /** Number from which on entries that are not the assistant's are the latest ones. */
  get heardFrom(): number {
    return this.#heard[0] ?? 0;
  }

  /** Names of tools are no values: they turn up wherever a tool is called. */
  noteTool(name: string): void {
    this.#toolNames.add(name);
  }

  /** Reads what has arrived. All of it counts as shown. */
  add({ role, pinned, pieces }: Arrival): void {
    if (role === "assistant") {
      this.#assistants++;
      this.#latestWork = null;
    }
    const turn = Math.max(0, this.#assistants - 1);
    const lines: Line[] = [];
    const sources: LineSource[] = [];
    const byPiece: { readonly blockId: string; readonly lines: ReadonlySet<Line> }[] = [];
    const placed: PieceLines[] = [];
    let isDocument = false;
    const works: Work[] = [];
    for (const { blockId, part } of pieces) {
      const read = linesOfPart(role, part);
      isDocument ||= read.isDocument;
      const work = this.#workOf(part, read.lines);
      if (work) works.push(work);
      const own = endsOf(read.lines).map((text) => this.vocabulary.line(text, this.#isToolName));
      const isPlain = part.kind !== "tool_call" && !read.isDocument;
      const gap = read.lines.length - own.length;
      placed.push({ blockId, first: lines.length, head: gap > 0 ? MOST_READ / 2 : own.length, gap, isPlain });
      for (const [at] of own.entries()) sources.push(sourceOf(part, at));
      for (const line of own) lines.push(line);
      byPiece.push({ blockId, lines: new Set(own) });
    }
    const entry: Entry = {
      number: this.entries.length,
      role,
      turn,
      pinned,
      isDocument,
      activity: works[0]?.activity ?? null,
      sourceRate: this.rates.of(`source ${role} ${works[0]?.tool ?? ""}`),
      files: works.length === 0 ? NOTHING : new Set(works.flatMap(({ files }) => [...files])),
      pieces: placed,
      lines,
      values: new Set(lines.flatMap((line) => line.values)),
      terms: new Set(lines.flatMap((line) => line.terms)),
    };
    this.entries.push(entry);
    if (!pinned) this.#noteOrigins(entry);
    this.#noteUse(entry);
    this.#noteTerms(entry);
    this.#noteLines(entry, sources);
    this.#noteFiles(entry);
    for (const { blockId, lines: own } of byPiece) {
      this.#entryOf.set(blockId, entry);
      this.#show(blockId, { entry, lines: own });
    }
    this.#forgetOldest();
  }

  /** Distinct lines of what the block arrived with; empty when it is not known. */
  linesWith(blockId: string): ReadonlySet<Line> {
    return new Set(this.#entryOf.get(blockId)?.lines);
  }

  /** Where the line stands in the newest block that came with it; null of a line that is not known any more. */
  placeOf({ entry, before }: Line): Place | null {
    return placeIn(this.entries[entry]?.pieces ?? [], before);
  }

  /** The lines with which the block came: those of its entry from `from` up to, and without, `end`; null: not known. */
  spanOf(blockId: string): { readonly entry: Entry | null; readonly from: number; readonly end: number } {
    const entry = this.#entryOf.get(blockId) ?? null;
    const pieces = entry?.pieces ?? [];
    const at = pieces.findIndex((piece) => piece.blockId === blockId);
    const end = pieces[at + 1]?.first ?? entry?.lines.length ?? 0;
    return { entry, from: pieces[at]?.first ?? end, end };
  }

  /** The context shows nothing of the block any more, or only `instead`. Unknown blocks are passed over. */
  hide(blockId: string, instead: Part | null = null): void {
    const shown = this.#shown.get(blockId);
    if (!shown) return;
    const { entry, lines } = shown;
    const left = new Set<Line>();
    for (const text of instead === null ? [] : linesOfPart(entry.role, instead).lines) {
      const line = this.vocabulary.find(text);
      if (line && lines.has(line)) left.add(line);
    }
    this.newestHidden = Math.max(this.newestHidden, entry.turn);
    this.#unshow(shown);
    this.#shown.delete(blockId);
    if (left.size > 0) this.#show(blockId, { entry, lines: left });
  }

  /** The context shows of the block what the part holds, whatever it showed before. Unknown blocks are passed over. */
  show(blockId: string, part: Part): void {
    const entry = this.#entryOf.get(blockId);
    if (!entry) return;
    const shown = this.#shown.get(blockId);
    if (shown) this.#unshow(shown);
    const own = new Set(entry.lines);
    const lines = new Set<Line>();
    for (const text of linesOfPart(entry.role, part).lines) {
      const line = this.vocabulary.find(text);
      if (line && own.has(line)) lines.add(line);
    }
    this.#shown.delete(blockId);
    if (lines.size > 0) this.#show(blockId, { entry, lines });
  }

  /** The context shows nothing of the block any more, and its lines are not to be carried over for it. */
  withdraw(blockId: string): void {
    const shown = this.#shown.get(blockId);
    if (!shown) return;
    this.#unshow(shown);
    this.#shown.delete(blockId);
    for (const line of shown.lines) this.hidden.delete(line);
  }

  /** The agent asked for the content of the block again: each value of what it arrived with counts as mentioned now. */
  recall(blockId: string): void {
    for (const value of this.#entryOf.get(blockId)?.values ?? []) {
      value.mentions++;
      value.lastMention = Math.max(value.lastMention, this.#assistants - 1);
    }
  }

  readonly #isToolName = (value: string): boolean => this.#toolNames.has(value);

  /** What a call does, or what the call of a result did; null of any other part. */
  #workOf(part: Part, lines: readonly string[]): Work | null {
    if (part.kind === "tool_result") return this.#work.get(part.callId) ?? this.#latestWork;
    if (part.kind !== "tool_call") return null;
    this.#toolNames.add(part.name);
    const argumentsText = lines.slice(1).join("\n");
    const work = { tool: part.name, activity: activityOf(part.name, argumentsText), files: filesOf(argumentsText) };
    this.#work.set(part.callId, work);
    this.#latestWork ??= work;
    return work;
  }

  /** Where the values that are new come from: before `#noteUse`, which makes them known. */
  #noteOrigins({ lines, sourceRate }: Entry): void {
    for (const line of new Set(lines)) {
      const keyRate = line.key === null ? null : this.rates.of(`key ${line.key}`);
      for (const value of line.values) {
        if (value.first >= 0) continue;
        if (value.sourceRate === null) {
          value.sourceRate = sourceRate;
          this.rates.noteSeen([sourceRate, this.rates.of(value.kind)]);
        }
        if (value.keyRate !== null || keyRate === null) continue;
        value.keyRate = keyRate;
        keyRate.seen++;
      }
    }
  }

  #noteUse({ role, turn, values }: Entry): void {
    for (const value of values) {
      if (role === "assistant") this.#noteReturn(value, turn);
      if (value.first < 0) value.first = turn;
      value.last = turn;
      value.entries++;
      if (role !== "assistant") continue;
      if (value.first < turn) value.reuses++;
      value.mentions++;
      value.lastMention = turn;
    }
  }

  /** The assistant writes the value: has it come back to it? */
  #noteReturn(value: Value, turn: number): void {
    const { returned, sourceRate, keyRate, last, entries } = value;
    if (returned || sourceRate === null || turn - last < LEAST_ABSENCE || entries > RARE) return;
    value.returned = true;
    const origins = [sourceRate, this.rates.of(value.kind)];
    this.rates.noteUsed(keyRate === null ? origins : [...origins, keyRate]);
  }

  #noteTerms({ number, role, turn, pinned, terms }: Entry): void {
    if (role !== "assistant" && !pinned) {
      this.#heard.push(number);
      if (this.#heard.length > HEARD) this.#heard.shift();
    }
    for (const term of terms) {
      if (role === "assistant") {
        term.mentions++;
        term.lastMention = turn;
      } else if (!pinned) term.lastHeard = number;
      else if (role === "user") term.inTask = true;
    }
  }

  #noteLines({ number, turn, lines }: Entry, sources: readonly LineSource[]): void {
    const distinct = new Set(lines);
    for (const line of distinct) {
      if (line.first < 0) line.first = turn;
      line.entries++;
      line.last = turn;
      line.entry = number;
      if (isError(line)) for (const value of line.values) value.onError = true;
    }
    for (const [at, line] of lines.entries()) {
      line.before = at;
      line.behind = lines.length - 1 - at;
      line.source = sources[at] as LineSource;
    }
  }

  #noteFiles({ number, role, turn, activity, files }: Entry): void {
    if (role !== "assistant" && role !== "tool") return;
    for (const file of files) {
      const touches = this.touches.get(file);
      const touch = { turn, activity, entry: number };
      if (touches) touches.push(touch);
      else this.touches.set(file, [touch]);
    }
  }

  #show(blockId: string, shown: Shown): void {
    this.#shown.set(blockId, shown);
    for (const line of shown.lines) {
      line.shown++;
      this.hidden.delete(line);
    }
    this.#countShown(shown, 1);
  }

  #unshow(shown: Shown): void {
    for (const line of shown.lines) {
      line.shown--;
      if (line.shown > 0) continue;
      this.hidden.delete(line);
      this.hidden.add(line);
    }
    this.#countShown(shown, -1);
  }

  /** Forgets what went first, an entry at a time, while more is hidden than is kept. No part of a pass: it would wait. */
  #forgetOldest(): void {
    for (const line of this.hidden) {
      if (this.hidden.size <= this.#mostHidden) return;
      this.hidden.delete(line);
      const entry = this.entries[line.entry];
      // A line that newer entries hold, too, belongs to the newest of them.
      const isLast = entry?.lines.every(({ shown, entry: newest }) => shown === 0 || newest !== entry.number);
      if (entry && isLast && !entry.pinned) this.#forget(entry);
    }
  }

  #forget(entry: Entry): void {
    for (const line of new Set(entry.lines)) {
      if (line.entry !== entry.number) continue;
      this.hidden.delete(line);
      this.vocabulary.forget(line);
    }
    entry.lines = [];
    entry.values = new Set();
    entry.terms = new Set();
  }

  #countShown({ lines }: Shown, change: number): void {
    const values = new Set<Value>();
    for (const line of lines) for (const value of line.values) values.add(value);
    for (const value of values) value.shown += change;
  }
}

function endsOf(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST_READ ? lines : [...lines.slice(0, MOST_READ / 2), ...lines.slice(-MOST_READ / 2)];
}

function sourceOf(part: Part, at: number): LineSource {
  if (part.kind !== "tool_call") return "text";
  return at === 0 ? "name" : "argument";
}
