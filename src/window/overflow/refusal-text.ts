import { isJsonObject, type Json } from "../../model/json.ts";

/** Members of a serialised error that repeat the request: their words are the agent's, not the provider's. */
const REQUESTS = new Set([
  "config",
  "headers",
  "input",
  "messages",
  "options",
  "prompt",
  "request",
  "request_body",
  "requestbody",
  "requestbodyvalues",
  "responseheaders",
  "response_headers",
  "tools",
]);

/** Bounds of the search: an error of a kind that is known stays far below each. */
const DEPTH = 16;
const NODES = 512;
const CHARACTERS = 65_536;
/** Of one text its beginning and its end: a message stands first, what a wrapper adds or quotes stands last. */
const HEAD = 16_384;
const TAIL = 8_192;

/**
 * The words of an error, as one line to search in: its texts and the names and values of its members, in their order,
 * normalised. A member within a text (JSON in a string, a Python repr) reads like a member of the object itself.
 */
export function refusalText(error: Json | undefined): string {
  const parts: string[] = [];
  const bounds = { nodes: NODES, characters: CHARACTERS };
  collect(error, 0, parts, bounds);
  return parts.join("");
}

interface Bounds {
  nodes: number;
  characters: number;
}

function collect(value: Json | undefined, depth: number, parts: string[], bounds: Bounds): void {
  if (bounds.nodes-- <= 0 || bounds.characters <= 0 || depth > DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (bounds.nodes <= 0) return;
      collect(item, depth + 1, parts, bounds);
    }
  } else if (isJsonObject(value)) {
    for (const name in value) {
      if (bounds.nodes <= 0) return;
      if (REQUESTS.has(name.toLowerCase().slice(0, 32)) || !Object.hasOwn(value, name)) continue;
      add(`${name.slice(0, 64)}:`, "", parts, bounds);
      collect(value[name], depth + 1, parts, bounds);
    }
  } else if (value !== null && value !== undefined) {
    add(String(value), "; ", parts, bounds);
  }
}

function add(text: string, end: string, parts: string[], bounds: Bounds): void {
  const clipped = text.length > HEAD + TAIL ? `${text.slice(0, HEAD)} \u0000 ${text.slice(-TAIL)}` : text;
  const part = normalized(clipped).slice(0, bounds.characters) + end;
  bounds.characters -= part.length;
  parts.push(part);
}

const QUOTES = new Set(["'", '"', "`", "\u2018", "\u2019", "\u201c", "\u201d"]);
/** What stands behind a backslash where it is the escape of a line break or a tab. */
const ESCAPED_SPACES = new Set(["n", "r", "t"]);
const ESCAPED_QUOTE = /^u(?:0022|0027|0060|201[89cd])/;

/** What numbers are made of: nothing that is dropped may join two of them. */
const NUMERIC = /[\d,._]/;

/**
 * A text in the form that phrases are compared in: small letters, no quotation marks, no backslashes, one space for any
 * white space and none after a colon; so one phrase fits a message, the same message escaped, and a repr of it.
 */
export function normalized(text: string): string {
  const lower = text.toLowerCase();
  let out = "";
  let last = "";
  let dropped = false;
  for (let n = 0; n < lower.length; n++) {
    let character = lower.charAt(n);
    if (character === "\\") {
      const escaped = escapeAt(lower, n + 1);
      n += escaped.length;
      dropped ||= !escaped.space;
      if (!escaped.space) continue;
      character = " ";
    }
    if (QUOTES.has(character)) {
      dropped = true;
      continue;
    }
    if (character <= " " || character === "\u00a0" || character === "\u202f") {
      if (last === " " || last === ":") continue;
      character = " ";
    }
    if (dropped && NUMERIC.test(last) && NUMERIC.test(character)) out += " ";
    out += character;
    last = character;
    dropped = false;
  }
  return out;
}

/** What a backslash escapes: a space of some kind, a quotation mark, or nothing that matters here. */
function escapeAt(lower: string, at: number): { readonly length: number; readonly space: boolean } {
  if (ESCAPED_SPACES.has(lower.charAt(at))) return { length: 1, space: true };
  return { length: ESCAPED_QUOTE.test(lower.slice(at, at + 5)) ? 5 : 0, space: false };
}
