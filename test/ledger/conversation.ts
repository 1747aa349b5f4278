import { Book } from "../../src/ledger/book.ts";
import type { Role } from "../../src/model/message.ts";
import type { Part } from "../../src/model/part.ts";

export const textPart = (text: string): Part => ({ kind: "text", text, wire: text });

/** A book that is told of messages in few words. */
export class Conversation {
  readonly book: Book;
  #blocks = 0;

  constructor(mostHidden?: number) {
    this.book = new Book(mostHidden);
  }

  /** Adds a message of one block of text; answers the block's id. */
  says(role: Role, text: string, pinned = false): string {
    return this.#add(role, textPart(text), pinned);
  }

  /** Adds a call and its result; answers the result's id. */
  calls(name: string, args: Readonly<Record<string, string>>, result: string): string {
    const callId = `call${this.#blocks}`;
    this.#add("assistant", { kind: "tool_call", callId, name, argumentsText: JSON.stringify(args), wire: null });
    return this.#add("tool", {
      kind: "tool_result",
      callId,
      isError: false,
      text: result,
      attachments: [],
      wire: null,
    });
  }

  #add(role: Role, part: Part, pinned = false): string {
    const blockId = `b${this.#blocks++}`;
    this.book.add({ role, pinned, pieces: [{ blockId, part }] });
    return blockId;
  }
}
