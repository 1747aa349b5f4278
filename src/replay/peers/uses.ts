import { messageFormats } from "../../messages/index.ts";
import { textOf } from "../../model/part.ts";
import { ReferenceIndex } from "../../references/index.ts";
import type { PlainContext } from "./plain-context.ts";

/** How a message has been used since it came. */
export interface Use {
  /** Number of the request before which it came. */
  readonly arrived: number;
  /** Number of the latest assistant message that used an identifier of it; null: none did. */
  last: number | null;
  /** Assistant messages that did. */
  count: number;
}

/** Follows which messages of a context the assistant refers to, by the identifiers that it writes. */
export class Uses {
  readonly #index = new ReferenceIndex();
  readonly #uses = new Map<number, Use>();

  of(place: number): Use {
    const use = this.#uses.get(place);
    if (use === undefined) throw new Error(`message ${place} has not come`);
    return use;
  }

  /** Takes a message in that has come; answers its text. */
  arrived(context: PlainContext, place: number): string {
    const format = messageFormats[context.run.format];
    const { role, parts } = format.split(context.messageAt(place), `messages[${place}]`);
    // Which tool is called says nothing about what it is called for.
    const text = parts.map((part) => (part.kind === "tool_call" ? part.argumentsText : textOf(part))).join("\n");
    if (role === "assistant") this.#trace(context, text);
    this.#index.add(String(place), text);
    this.#uses.set(place, { arrived: context.turn, last: null, count: 0 });
    return text;
  }

  #trace(context: PlainContext, text: string): void {
    for (const id of this.#index.use(text).keys()) {
      const use = this.of(Number(id));
      if (context.messageAt(Number(id)) === undefined) {
        this.#index.remove(id);
        continue;
      }
      use.last = context.turn;
      use.count++;
    }
  }
}
