import { isUtf8 } from "node:buffer";
import { ContextdError } from "../model/errors.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * The JSON value of a message. Throws `parse_error` for what is not UTF-8 or not JSON (a byte order mark is not),
 * and `invalid_request` for what is nested deeper than `maxDepth`. Of duplicate keys the last one counts, as in
 * every JSON.parse; a `__proto__` key is an ordinary key. The message never quotes the text.
 */
export function parseJsonText(bytes: Uint8Array | string, maxDepth: number): unknown {
  const text = typeof bytes === "string" ? bytes : decodeUtf8(bytes);
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    throw new ContextdError("parse_error", "The text begins with a byte order mark: JSON is sent without one.");
  }
  if (nestsDeeperThan(text, maxDepth)) {
    throw new ContextdError("invalid_request", `The text is nested deeper than the limit of ${maxDepth} levels.`, {
      max_depth: maxDepth,
    });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(text, error);
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new ContextdError("parse_error", "The text is not UTF-8.");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** V8's message quotes the text around the fault, so only the position is taken from it. */
function notJson(text: string, error: unknown): ContextdError {
  if (text.trim() === "") return new ContextdError("parse_error", "The text is empty: a JSON-RPC request is expected.");
  const position = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  return position === undefined
    ? new ContextdError("parse_error", "The text is not JSON.")
    : new ContextdError("parse_error", `The text is not JSON: the fault is at character ${position}.`, {
        position: Number(position),
      });
}

/**
 * Whether brackets outside strings nest deeper than `limit`: one pass, no recursion, before anything is built.
 * The text need not be JSON; on what is not, the answer only has to be cheap.
 */
export function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
    } else if ((code | 0x20) === 0x7b) {
      // "[" and "{" differ in one bit, and so do "]" and "}".
      depth++;
      if (depth > limit) return true;
    } else if ((code | 0x20) === 0x7d) {
      depth--;
    }
  }
  return false;
}

/** Index of the quote that closes the string opened at `open`; the text's length when nothing does. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close;
}

/** An odd run of backslashes before a quote escapes it. Runs end at the previous quote, so a text costs linear time. */
function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at--;
  return (quote - 1 - at) % 2 === 1;
}
