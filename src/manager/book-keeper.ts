import { Book, type Piece } from "../ledger/index.ts";
import type { BlockType } from "../model/block.ts";
import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";

const ROLE_OF: Readonly<Record<BlockType, Role | null>> = {
  system_prompt: "system",
  tool_definition: null,
  user_message: "user",
  assistant_response: "assistant",
  thinking: "assistant",
  tool_result: "tool",
  memory_injection: "user",
  summary: "user",
  note: "user",
};

interface Group {
  readonly unitId: number;
  readonly role: Role;
  readonly pieces: Piece[];
  /** What the context shows of a piece, where that is not the piece: null when nothing is. */
  readonly shown: Map<string, Part | null>;
}

/** Hands the blocks of a session to its book as what they came in: whole messages, and one by one the results. */
export class BookKeeper {
  readonly book = new Book();
  /** The message whose blocks are being read. */
  #open: Group | null = null;
  #taskSeen = false;

  /** Blocks in the order of their arrival. `now`: what stands in the context; null when the block has left it. */
  read(
    blockId: string,
    { unitId, type }: { readonly unitId: number; readonly type: BlockType },
    part: Part,
    now: Part | null,
  ): void {
    const role = ROLE_OF[type];
    if (role === null) return;
    const goesOn = role !== "tool" && this.#open?.unitId === unitId && this.#open.role === role;
    if (!goesOn) this.flush();
    this.#open ??= { unitId, role, pieces: [], shown: new Map() };
    this.#open.pieces.push({ blockId, part });
    if (now !== part) this.#open.shown.set(blockId, now);
  }

  /** No block of the message that was read last is to come. */
  flush(): void {
    const group = this.#open;
    if (!group) return;
    this.#open = null;
    const isTask = group.role === "user" && !this.#taskSeen;
    this.#taskSeen ||= isTask;
    this.book.add({ role: group.role, pinned: isTask || group.role === "system", pieces: group.pieces });
    for (const [blockId, now] of group.shown) this.book.hide(blockId, now);
  }

  /** The agent took the block out of its history: nothing of it is carried over. */
  withdraw(blockId: string): void {
    this.flush();
    this.book.withdraw(blockId);
  }

  /** The agent asked for the content of the block again. */
  recall(blockId: string): void {
    this.flush();
    this.book.recall(blockId);
  }

  /** The context shows the block as it came, again. */
  showsAgain(blockId: string, part: Part): void {
    this.flush();
    this.book.show(blockId, part);
  }

  /** The context shows the block otherwise, or no more. */
  shows(blockId: string, now: Part | null): void {
    this.flush();
    this.book.hide(blockId, now);
  }
}
