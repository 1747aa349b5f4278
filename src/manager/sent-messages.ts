import type { CoreEvent, EventData } from "../model/events.ts";
import type { JsonObject } from "../model/json.ts";
import type { Role } from "../model/message.ts";

/** A message as the agent sent it: its parts by the address of their content. */
export interface SentMessage {
  readonly role: Role;
  readonly envelope: JsonObject;
  readonly parts: { readonly hash: string; readonly callId: string | null }[];
}

interface Sent extends SentMessage {
  readonly id: string;
  readonly digest: string;
  /** Blocks that are still in the context. */
  readonly live: Set<string>;
}

/** The call by which a runtime puts messages in that are not the model's. */
const APPEND = "context.append";

/**
 * The messages of a session in the order in which the agent holds them, whatever has become of them: a fold over its
 * events. What contextd put in by itself is left out, and so is what the agent has taken out of its own history.
 */
export class SentMessages {
  /** What the session was opened with; null before. */
  opened: EventData["session.opened"] | null = null;
  #messages: Sent[] = [];
  readonly #byId = new Map<string, Sent>();
  readonly #ofBlock = new Map<string, Sent>();

  get messages(): readonly SentMessage[] {
    return this.#messages;
  }

  /** Takes in the events of one call, in the order of the journal. */
  add(call: string, events: readonly CoreEvent[]): void {
    let isSentAnew = false;
    for (const event of events) {
      if (event.type === "session.opened") this.opened = event.data;
      else if (event.type === "message.added") this.#addMessage(event.data, call, isSentAnew);
      else if (event.type === "block.added") this.#addBlock(event.data);
      else if (event.type === "message.removed") this.#take(event.data.message_id);
      else if (event.type === "block.evicted" && event.data.replacement_hash === null) {
        this.#ofBlock.get(event.data.block_id)?.live.delete(event.data.block_id);
      }
      isSentAnew ||= event.type === "history.diverged";
    }
  }

  #addMessage(data: EventData["message.added"], call: string, isSentAnew: boolean): void {
    const { message_id: id, role, envelope, digest, source, after } = data;
    if (source === "contextd" && call !== APPEND) return;
    // Part of a whole list that the agent has rewritten: what had been evicted of it comes a second time.
    const earlier = isSentAnew
      ? this.#messages.find((sent) => sent.digest === digest && sent.live.size === 0)
      : undefined;
    if (earlier) this.#take(earlier.id);
    const message: Sent = { id, role, envelope, digest, parts: [], live: new Set() };
    this.#byId.set(id, message);
    if (after === undefined) this.#messages.push(message);
    else this.#messages.splice(this.#messages.findIndex((sent) => sent.id === after) + 1, 0, message);
  }

  #addBlock({ block_id, message_id, hash, tool }: EventData["block.added"]): void {
    const message = this.#byId.get(message_id);
    if (message === undefined) return;
    message.parts.push({ hash, callId: tool?.callId ?? null });
    message.live.add(block_id);
    this.#ofBlock.set(block_id, message);
  }

  #take(id: string): void {
    this.#byId.delete(id);
    this.#messages = this.#messages.filter((sent) => sent.id !== id);
  }
}
