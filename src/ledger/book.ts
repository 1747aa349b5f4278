import { linesOfPart } from "../lines/index.ts";
import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { type Activity, activityOf, filesOf } from "./activity.ts";
import { isError, type Line, type LineSource, type Value, Vocabulary, type Word } from "./vocabulary.ts";

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
  /** Tool of its first call, or of the call that it answers; null when it is about none. */
  readonly tool: string | null;
  readonly files: ReadonlySet<string>;
  /** By position. */
  readonly lines: readonly Line[];
  readonly values: ReadonlySet<Value>;
  readonly words: ReadonlySet<Word>;
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
/** Latest messages of the assistant that tell what it is at. */
const RECENT = 3;

/**
 * Past-only record of a session's lines and values: who held them, when they were used, and what of them the context
 * shows now. Kept up as blocks arrive, leave and are cut; a turn is an assistant message, counted from 0. The cost of
 * each call is in proportion to the block it is about.
 */
export class Book {
  readonly vocabulary = new Vocabulary();
  readonly entries: Entry[] = [];
  /** Lines that have stood in the context and do so no more, the ledger aside; the latest to go stands last. */
  readonly hidden = new Set<Line>();
  /** Words of the task. */
  readonly taskWords = new Set<Word>();
  readonly touches = new Map<string, Touch[]>();
  readonly #shown = new Map<string, Shown>();
  readonly #entryOf = new Map<string, Entry>();
  readonly #toolNames = new Set<string>();
  readonly #work = new Map<string, Work>();
  #latestWork: Work | null = null;
  readonly #recent: Entry[] = [];
  #assistants = 0;
  /** Turn of the newest entry of which something was taken out. */
  newestHidden = 0;

  /** Number of the turn that would come next. */
  get turn(): number {
    return this.#assistants;
  }

  /** The latest messages of the assistant. */
  get recent(): readonly Entry[] {
    return this.#recent;
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
    let isDocument = false;
    const works: Work[] = [];
    for (const { blockId, part } of pieces) {
      const read = linesOfPart(role, part);
      isDocument ||= read.isDocument;
      const work = this.#workOf(part, read.lines);
      if (work) works.push(work);
      const own = read.lines.map((text) => this.vocabulary.line(text, this.#isToolName));
      for (const [at] of own.entries()) sources.push(sourceOf(part, at));
      lines.push(...own);
      byPiece.push({ blockId, lines: new Set(own) });
    }
    const entry: Entry = {
      number: this.entries.length,
      role,
      turn,
      pinned,
      isDocument,
      activity: works[0]?.activity ?? null,
      tool: works[0]?.tool ?? null,
      files: works.length === 0 ? NOTHING : new Set(works.flatMap(({ files }) => [...files])),
      lines,
      values: new Set(lines.flatMap((line) => line.values)),
      words: new Set(lines.flatMap((line) => line.words)),
    };
    this.entries.push(entry);
    this.#noteUse(entry);
    this.#noteLines(entry, sources);
    this.#noteFiles(entry);
    for (const { blockId, lines: own } of byPiece) {
      this.#entryOf.set(blockId, entry);
      this.#show(blockId, { entry, lines: own });
    }
  }

  /** Distinct lines of what the block arrived with; empty when it is not known. */
  linesWith(blockId: string): ReadonlySet<Line> {
    return new Set(this.#entryOf.get(blockId)?.lines);
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

  #noteUse(entry: Entry): void {
    const { role, turn, values, words } = entry;
    for (const value of values) {
      if (value.first < 0) value.first = turn;
      value.entries++;
      if (role !== "assistant") continue;
      if (value.first < turn) value.reuses++;
      value.mentions++;
      value.lastMention = turn;
    }
    for (const word of words) {
      word.entries++;
      if (entry.pinned && role === "user") this.taskWords.add(word);
    }
    if (role !== "assistant") return;
    this.#recent.push(entry);
    if (this.#recent.length > RECENT) this.#recent.shift();
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

  #countShown({ entry, lines }: Shown, change: number): void {
    const values = new Set<Value>();
    const words = new Set<Word>();
    for (const line of lines) {
      for (const value of line.values) values.add(value);
      if (!entry.pinned) for (const word of line.words) words.add(word);
    }
    for (const value of values) value.shown += change;
    for (const word of words) word.shown += change;
  }
}

function sourceOf(part: Part, at: number): LineSource {
  if (part.kind !== "tool_call") return "text";
  return at === 0 ? "name" : "argument";
}
