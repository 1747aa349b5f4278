import type { ErrorReason } from "../model/errors.ts";
import type { CoreEvent } from "../model/events.ts";
import type { JsonObject } from "../model/json.ts";

/** What a journal row's body holds: everything of one call. */
export interface RowBody {
  readonly events: readonly CoreEvent[];
  /** Of a call with an idempotency key, which may be repeated; of others nobody can ask for the reply again. */
  readonly answer?: {
    /** The reply without what `complete` renders again. */
    readonly reply: unknown;
    /** The error it was answered with, where what it told was stored all the same. */
    readonly refusal?: { readonly reason: ErrorReason; readonly message: string; readonly data: JsonObject };
    /** SHA-256 of the call's method and parameters: tells a retry from another call under the same key. */
    readonly request: string;
  };
}

export function writeBody(body: RowBody): string {
  return JSON.stringify(body);
}

export function readBody(text: string): RowBody {
  return JSON.parse(text) as RowBody;
}

/** Content addresses that a row's events name. */
export function hashesOf(events: readonly CoreEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "block.added":
      case "block.truncated":
      case "block.summarized":
      case "block.restored":
        return [event.data.hash];
      case "block.evicted":
      case "block.merged":
        return event.data.replacement_hash === null ? [] : [event.data.replacement_hash];
      default:
        return [];
    }
  });
}
