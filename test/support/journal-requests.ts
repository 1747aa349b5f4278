import { contentHash } from "../../src/model/content-hash.ts";
import type { SessionKey } from "../../src/model/session-key.ts";
import type { AppendRequest, Content, Journal } from "../../src/store/journal.ts";

export const SESSION: SessionKey = { tenant: "acme", id: "s1" };

export function content(body: string): Content {
  return { hash: contentHash(body), body };
}

/** A row that nothing is special about, with the fields that matter to a test put in. */
export function appendRequest(fields: Partial<AppendRequest> = {}): AppendRequest {
  const sessionSeq = fields.sessionSeq ?? 1;
  return {
    key: SESSION,
    sessionSeq,
    at: 1_700_000_000_000 + sessionSeq,
    hook: "on_turn_start",
    body: JSON.stringify({ position: sessionSeq }),
    contents: [],
    idempotencyKey: null,
    summary: JSON.stringify({ turns: sessionSeq }),
    closed: false,
    snapshot: null,
    ...fields,
  };
}

/** Appends positions `from` to `to`, one after the other. */
export async function appendRows(
  journal: Journal,
  from: number,
  to: number,
  fields: (position: number) => Partial<AppendRequest> = () => ({}),
): Promise<void> {
  for (let sessionSeq = from; sessionSeq <= to; sessionSeq++) {
    await journal.append(appendRequest({ sessionSeq, ...fields(sessionSeq) }));
  }
}

/** The error that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { reason?: string; data?: unknown }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error("the promise was expected to reject");
}
