import { apply, closeBatch } from "../manager/apply.ts";
import type { Parts } from "../manager/live-context.ts";
import { decodePart } from "../manager/part-codec.ts";
import { readBody } from "../manager/row.ts";
import { newSession, type Session, TOOLS_MESSAGE_ID } from "../manager/session.ts";
import type { BlockType } from "../model/block.ts";
import type { CoreEvent, EventData, EventType } from "../model/events.ts";
import type { JsonObject } from "../model/json.ts";
import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import type { SessionKey } from "../model/session-key.ts";

/** A call as the journal has it. */
export interface StoredCall {
  readonly sessionSeq: number;
  readonly at: number;
  readonly hook: string;
  readonly body: string;
  /** The contents that the call's events name: hash and text. */
  readonly contents: readonly { readonly hash: string; readonly body: string }[];
  /** Learned factor of reported over estimated tokens of the session's model then; absent where it is not known. */
  readonly calibration?: number;
}

/** A message, or a part of one that goes on, as it came: before anything was cut or taken out. */
export interface Arrived {
  readonly messageId: string;
  readonly role: Role;
  readonly envelope: JsonObject;
  readonly source: "agent" | "contextd";
  readonly blocks: { readonly id: string; readonly type: BlockType; readonly toolName: string; readonly part: Part }[];
  tokens: number;
}

/** A call that a session has taken, with what came in by it. */
export interface FollowedCall {
  readonly hook: string;
  readonly at: number;
  readonly events: readonly CoreEvent[];
  readonly arrived: readonly Arrived[];
  /** Definitions of tools. */
  readonly tools: readonly Part[];
  readonly calibration?: number;
}

/** The data of the call's events of one type. */
export function dataOf<T extends EventType>({ events }: Pick<FollowedCall, "events">, type: T): EventData[T][] {
  return events.flatMap((event) => (event.type === type ? [event.data as EventData[T]] : []));
}

/** A session followed through its journal: the same fold over the same events, so the same state. */
export class FollowedSession {
  readonly session: Session;

  constructor(key: SessionKey) {
    this.session = newSession(key);
  }

  /** Takes the next call in. Throws when it does not fit the state: a damaged journal, or a fault. */
  follow(call: StoredCall): FollowedCall {
    const { events } = readBody(call.body);
    const parts = partsOf(call.contents);
    const arrived: Arrived[] = [];
    const tools: Part[] = [];
    for (const event of events) {
      apply(this.session, event, parts);
      if (event.type === "message.added") {
        if (isArrival(call.hook, event.data.source)) arrived.push(arrivedMessage(event.data));
      } else if (event.type === "block.added") {
        const part = parts(event.data.hash, event.data.tool?.callId ?? null);
        if (event.data.message_id === TOOLS_MESSAGE_ID) tools.push(part);
        else this.#add(call.hook, arrived, event.data, part);
      }
    }
    closeBatch(this.session, call.at);
    const { hook, at, calibration } = call;
    return { hook, at, events, arrived, tools, ...(calibration === undefined ? {} : { calibration }) };
  }

  #add(hook: string, arrived: Arrived[], data: EventData["block.added"], part: Part): void {
    const message = this.session.messageById.get(data.message_id);
    if (!message || !isArrival(hook, message.source)) return;
    let last = arrived.at(-1);
    if (last?.messageId !== message.id) {
      // A result that joins those of its batch.
      last = { ...message, messageId: message.id, blocks: [], tokens: 0 };
      arrived.push(last);
    }
    last.blocks.push({ id: data.block_id, type: data.type, toolName: data.tool?.name ?? "tool", part });
    last.tokens += data.tokens;
  }
}

/** What contextd writes by itself is no arrival; a note or a memory that the runtime hands it is. */
export function isArrival(hook: string, source: Arrived["source"]): boolean {
  return source === "agent" || hook === "context.append";
}

function arrivedMessage({ message_id, role, envelope, source, overhead_tokens }: EventData["message.added"]): Arrived {
  return { messageId: message_id, role, envelope, source, blocks: [], tokens: overhead_tokens };
}

function partsOf(contents: StoredCall["contents"]): Parts {
  const bodies = new Map(contents.map(({ hash, body }) => [hash, body]));
  return (hash, callId) => {
    const body = bodies.get(hash);
    if (body === undefined) throw new Error(`content ${hash.slice(0, 12)} did not come with its call`);
    return decodePart(body, callId);
  };
}
