import { messageFormats } from "../messages/index.ts";
import { ContextdError } from "../model/errors.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { SessionKey } from "../model/session-key.ts";
import type { Journal } from "../store/journal.ts";
import { decodePart } from "./part-codec.ts";
import { readBody } from "./row.ts";
import { type SentMessage, SentMessages } from "./sent-messages.ts";

/** Journal rows read at once. */
const ROWS = 1000;

/** Which part of a session is asked for. */
export interface ExportRange {
  /** Journal position up to which the session is read, so that pages fit one another. */
  readonly upTo: number;
  /** Messages left out at the beginning. */
  readonly offset: number;
  readonly limit: number;
}

export interface ExportPage {
  /** The first line of a recorded run: id, family (the agent), task, model, window, format, and system where it stands beside. */
  readonly metadata: JsonObject;
  /** As the agent sent them, in its message format. */
  readonly messages: JsonObject[];
  /** Messages of the session in all. */
  readonly total: number;
}

/**
 * A session as a recorded run: the original messages, also of what has been evicted, cut or cleared. Throws
 * session_not_found, and invalid_params when its beginning has been pruned.
 */
export async function exportSession(
  journal: Pick<Journal, "rows" | "contents">,
  key: SessionKey,
  { upTo, offset, limit }: ExportRange,
): Promise<ExportPage> {
  const sent = await readSent(journal, key, upTo);
  const { opened } = sent;
  if (opened === null) {
    throw new ContextdError(
      "session_not_found",
      `There is no session ${key.id.slice(0, 80)}: session.list names them.`,
    );
  }
  const format = messageFormats[opened.message_format];
  const isBeside = ({ role }: SentMessage) => format.systemBeside && role === "system";
  const wire = async (messages: readonly SentMessage[]) => {
    const bodies = await journal.contents([...new Set(messages.flatMap(({ parts }) => parts.map(({ hash }) => hash)))]);
    return messages.map(({ role, envelope, parts }) =>
      format.join({ role, envelope, parts: parts.map(({ hash, callId }) => decodePart(bodyOf(bodies, hash), callId)) }),
    );
  };
  const messages = sent.messages.filter((message) => !isBeside(message));
  const [system] = await wire(sent.messages.filter(isBeside).slice(-1));
  return {
    metadata: {
      id: key.id,
      family: opened.agent,
      ...(opened.task === null ? {} : { task: opened.task.goal }),
      model: opened.model,
      max_context_tokens: opened.max_context_tokens,
      format: opened.message_format,
      ...(system === undefined ? {} : { system: system["content"] as Json }),
    },
    messages: await wire(messages.slice(offset, offset + limit)),
    total: messages.length,
  };
}

async function readSent(journal: Pick<Journal, "rows">, key: SessionKey, upTo: number): Promise<SentMessages> {
  const sent = new SentMessages();
  for (let from = 1; from <= upTo; ) {
    const rows = await journal.rows(key, { from, limit: Math.min(ROWS, upTo - from + 1) });
    const [first] = rows;
    if (first === undefined) break;
    if (first.sessionSeq !== from) {
      throw new ContextdError(
        "invalid_params",
        `The beginning of session ${key.id.slice(0, 80)} has been pruned: only a session that is open or closed of late can be exported.`,
        { path: "session_id" },
      );
    }
    for (const row of rows) sent.add(row.hook, readBody(row.body).events);
    from += rows.length;
  }
  return sent;
}

function bodyOf(bodies: ReadonlyMap<string, string>, hash: string): string {
  const body = bodies.get(hash);
  if (body === undefined) throw new Error(`content ${hash.slice(0, 12)} named by the journal is missing`);
  return body;
}
