import type { SplitMessage } from "../messages/index.ts";
import { DistinctLines } from "../replay/distinct-lines.ts";
import { isNeeded, type Mention, MOST_MESSAGES, withoutPartsOfOthers } from "../replay/needs.ts";
import { LineIndex } from "./line-index.ts";

/** A need of the message that came last, and where it is to be had. */
export interface RunningNeed extends Mention {
  /** 1 / the number of earlier messages that hold it. */
  readonly weight: number;
  /** Numbers of the lines that hold it. */
  readonly lines: readonly number[];
}

/**
 * The needs of a run that goes on, message by message. After each assistant message they are those that `findNeeds` finds
 * for it in the run up to here. What comes later cannot count: a tool that is first called afterwards, or a later system
 * message, takes needs back in a finished run and not in this one.
 */
export class RunningNeeds {
  readonly lines = new DistinctLines();
  readonly #background: ReadonlySet<string>;
  readonly #index = new LineIndex();
  readonly #toolNames = new Set<string>();
  /** By the number of the line: pinned text has shown it. */
  readonly #isPinned: boolean[] = [];
  #place = -1;
  #previousTurn = -1;
  #hasUserMessage = false;

  constructor(background: ReadonlySet<string>) {
    this.#background = background;
  }

  /** Takes the next message in, in its OpenAI form. Answers what it needs when it is the assistant's; else null. */
  add(message: Pick<SplitMessage, "role" | "parts">): readonly RunningNeed[] | null {
    this.#place++;
    const { role, parts } = message;
    const pinned = role === "system" || (role === "user" && !this.#hasUserMessage);
    this.#hasUserMessage ||= role === "user";
    for (const line of this.lines.add(message)) {
      if (line === this.#isPinned.length) {
        this.#index.add(this.lines.texts[line] as string);
        this.#isPinned.push(false);
      }
      if (pinned) this.#isPinned[line] = true;
    }
    for (const part of parts) if (part.kind === "tool_call") this.#toolNames.add(part.name);
    return role === "assistant" ? this.#needs() : null;
  }

  #needs(): RunningNeed[] {
    const found: RunningNeed[] = [];
    for (const [value, kind] of this.lines.mentions(this.#place)) {
      if (this.#background.has(value) || this.#toolNames.has(value)) continue;
      const { lines, earlier } = this.#holders(value);
      if (isNeeded(earlier, this.#previousTurn)) {
        found.push({ value, kind, earlier, weight: 1 / earlier.length, lines });
      }
    }
    this.#previousTurn = this.#place;
    return withoutPartsOfOthers(found);
  }

  /** Lines that hold the value and places of the earlier messages that show them; none when it is no need anyway. */
  #holders(value: string): { readonly lines: readonly number[]; readonly earlier: readonly number[] } {
    const lines: number[] = [];
    const places = new Set<number>();
    for (const line of this.#index.holding(value)) {
      if (this.#isPinned[line]) return NO_HOLDERS;
      lines.push(line);
      for (const place of this.lines.shownBy[line] as number[]) if (place < this.#place) places.add(place);
      if (places.size > MOST_MESSAGES) return NO_HOLDERS;
    }
    return { lines, earlier: [...places].sort((a, b) => a - b) };
  }
}

const NO_HOLDERS = { lines: [], earlier: [] } as const;
