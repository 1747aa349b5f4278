import { setImmediate as nextTurn } from "node:timers/promises";
import { exportSession } from "../manager/export.ts";
import { ContextdError } from "../model/errors.ts";
import type { SessionKey } from "../model/session-key.ts";
import type { Journal } from "../store/journal.ts";

/** Journal rows, and contents, that are read between two turns of the event loop. */
const ROWS = 100;
/** The text of one run, in UTF-16 units: some sixteen for each token that the largest run may have. */
const MOST_CHARACTERS = 64_000_000;

/** A session as the file that `contextd export` writes; other calls are let through while it is read. */
export async function recordedText(journal: Journal, key: SessionKey): Promise<string> {
  const { metadata, messages } = await exportSession(inPieces(journal), key, {
    upTo: Number.MAX_SAFE_INTEGER,
    offset: 0,
    limit: Number.MAX_SAFE_INTEGER,
  });
  const lines: string[] = [];
  let characters = 0;
  for (const [index, value] of [metadata, ...messages].entries()) {
    const line = `${JSON.stringify(value)}\n`;
    lines.push(line);
    characters += line.length;
    if (characters > MOST_CHARACTERS) {
      throw new ContextdError(
        "invalid_params",
        `Session ${key.id.slice(0, 80)} has more than ${MOST_CHARACTERS} characters: export it and use \`contextd replay\`.`,
        { path: "session_ids" },
      );
    }
    if (index % ROWS === 0) await nextTurn();
  }
  return lines.join("");
}

function inPieces(journal: Journal): Pick<Journal, "rows" | "contents"> {
  return {
    async rows(key, range) {
      await nextTurn();
      return journal.rows(key, { ...range, limit: Math.min(range.limit, ROWS) });
    },
    async contents(hashes) {
      const all = new Map<string, string>();
      for (let from = 0; from < hashes.length; from += ROWS) {
        for (const [hash, body] of await journal.contents(hashes.slice(from, from + ROWS))) all.set(hash, body);
        await nextTurn();
      }
      return all;
    },
  };
}
