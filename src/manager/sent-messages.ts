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
  /** Blocks that are still in the context. */
  readonly live: Set<string>;
}

/** The call by which a runtime puts messages in that are not the model's. */
const APPEND = "context.append";

/**
 * The messages of a session in the order in which the agent sent them, whatever has become of them: a fold over its
 * events. What contextd put in by itself is left out, and what was in the context when the agent took it out of its
 * own history.
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
    /** Messages that came as part of a whole list which the agent has rewritten. */
    const anew: Sent[] = [];
    let isRewritten = false;
    for (const event of events) {
      isRewritten ||= event.type === "history.diverged";
      if (event.type === "session.opened") this.opened = event.data;
      else if (event.type === "message.added") {
        const message = this.#addMessage(event.data, call);
        if (message !== null && isRewritten) anew.push(message);
      } else if (event.type === "block.added") this.#addBlock(event.data);
      else if (event.type === "message.removed") this.#take(event.data.message_id);
      else if (event.type === "block.evicted" && event.data.replacement_hash === null) {
        this.#ofBlock.get(event.data.block_id)?.live.delete(event.data.block_id);
      }
    }
    if (anew.length > 0) this.#takeEvictedTwins(anew);
  }

  #addMessage(
    { message_id: id, role, envelope, source, after }: EventData["message.added"],
    call: string,
  ): Sent | null {
    if (source === "contextd" && call !== APPEND) return null;
    const message: Sent = { id, role, envelope, parts: [], live: new Set() };
    this.#byId.set(id, message);
    if (after === undefined) this.#messages.push(message);
    else this.#messages.splice(this.#messages.findIndex((sent) => sent.id === after) + 1, 0, message);
    return message;
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

  /** What had been evicted of a list that comes a second time stands where it came last. */
  #takeEvictedTwins(anew: readonly Sent[]): void {
    const fresh = new Set(anew);
    const evicted = new Map(
      this.#messages
        .filter((sent) => sent.live.size === 0 && !fresh.has(sent))
        .map((sent) => [identityOf(sent), sent.id]),
    );
    for (const message of anew) {
      const twin = evicted.get(identityOf(message));
      if (twin !== undefined) this.#take(twin);
    }
  }
}

function identityOf({ role, parts }: SentMessage): string {
  return JSON.stringify([role, parts]);
}
