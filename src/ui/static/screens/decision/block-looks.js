import { sentence } from "./kind-words.js";

/** How blocks are drawn, by type: the token of their colour, and whether they are hatched. */
const COLOURS = {
  system_prompt: "--c-system",
  tool_definition: "--c-tools",
  user_message: "--t-user",
  assistant_response: "--c-history",
  thinking: "--t-thinking",
  tool_result: "--c-results",
  memory_injection: "--t-injection",
  summary: "--t-summary",
  note: "--t-note",
};

export function colourToken(type) {
  return COLOURS[type] ?? "--faint";
}

/** contextd's own message that holds the ledger: a summary with a title of its own. */
export function isLedger({ type, title }) {
  return type === "summary" && title.startsWith("<ledger ");
}

export function isHatched(type) {
  return type === "thinking";
}

/** contextd's own messages begin with what they are and a mark: "<bootstrap 520af1> This is window 7 of…" */
function ownName({ type, title }) {
  if (type !== "summary" && type !== "note") return null;
  const name = /^<([a-z]+) [0-9a-f]{6}>/.exec(title)?.[1];
  return name === undefined ? null : sentence(name);
}

/** A block's title without its tool's name where that stands beside it. */
export function shortTitle(block) {
  const { title, tool_name } = block;
  const own = ownName(block);
  if (own !== null) return own;
  if (tool_name === null || !title.startsWith(`${tool_name} `)) return title;
  return title.slice(tool_name.length + 1);
}
