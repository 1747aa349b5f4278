import { indexOfWord, trimmed, withoutEscapes } from "../lines/index.ts";
import type { ManagedMessage } from "../manager/session.ts";
import type { DistinctLines } from "../replay/distinct-lines.ts";
import { linesOfMessage } from "../replay/message-text.ts";

/** A message of the context as the measure sees it. One that is sent again unchanged is the same object. */
interface SentMessage {
  readonly tokens: number;
  /** Content addresses of its parts. */
  readonly hashes: readonly string[];
  /** Numbers of the run's lines that it shows. */
  readonly lines: readonly number[];
  /** The rest of its text: cut lines, placeholders, notes. */
  readonly altered: string;
}

/** The context that a policy hands out at a turn's start: which lines of the run it holds. Reads what has changed. */
export class SentContext {
  readonly #lines: DistinctLines;
  #messages: ReadonlyMap<string, SentMessage> = new Map();
  /** How many of its messages show a line of the run, by the line's number. */
  readonly #shown = new Map<number, number>();
  readonly #altered = new Set<SentMessage>();

  /** @param lines those of the run, which grow before a context can show them. */
  constructor(lines: DistinctLines) {
    this.#lines = lines;
  }

  /** Its messages, in order. */
  get messages(): readonly SentMessage[] {
    return [...this.#messages.values()];
  }

  /** Takes the place of what was handed out before. */
  handOut(messages: readonly ManagedMessage[]): void {
    const before = this.#messages;
    const now = new Map<string, SentMessage>();
    for (const message of messages) {
      if (message.gone) continue;
      const known = before.get(message.id);
      now.set(message.id, known && isUnchanged(known, message) ? known : this.#enter(message));
    }
    for (const [id, message] of before) if (now.get(id) !== message) this.#leave(message);
    this.#messages = now;
  }

  showsLine(line: number): boolean {
    return this.#shown.has(line);
  }

  /** Whether the value stands whole in text that is no line of the run. */
  showsElsewhere(value: string): boolean {
    for (const { altered } of this.#altered) if (indexOfWord(altered, value) >= 0) return true;
    return false;
  }

  #enter({ role, blocks, overheadTokens }: ManagedMessage): SentMessage {
    const lines = new Set<number>();
    const altered: string[] = [];
    for (const line of linesOfMessage(
      role,
      blocks.map((block) => block.part),
    )) {
      const number = this.#lines.numberOf(trimmed(line));
      if (number === undefined) altered.push(withoutEscapes(line));
      else lines.add(number);
    }
    const message: SentMessage = {
      tokens: blocks.reduce((sum, block) => sum + block.tokens, overheadTokens),
      hashes: blocks.map((block) => block.partHash),
      lines: [...lines],
      altered: altered.join("\n"),
    };
    for (const line of message.lines) this.#shown.set(line, (this.#shown.get(line) ?? 0) + 1);
    if (message.altered !== "") this.#altered.add(message);
    return message;
  }

  #leave(message: SentMessage): void {
    for (const line of message.lines) {
      const left = (this.#shown.get(line) as number) - 1;
      if (left === 0) this.#shown.delete(line);
      else this.#shown.set(line, left);
    }
    this.#altered.delete(message);
  }
}

function isUnchanged({ hashes }: SentMessage, { blocks }: ManagedMessage): boolean {
  return hashes.length === blocks.length && blocks.every((block, index) => block.partHash === hashes[index]);
}
