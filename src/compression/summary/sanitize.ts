/**
 * Characters that a reader does not see and a tokenizer does: controls but tab and newline, zero-width and joining
 * marks, bidirectional controls, soft hyphens, the tag characters and the supplementary variation selectors.
 */
const UNSEEN =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2028\u2029\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|\u17b4|\u17b5|[\u180b-\u180d\u180f]|[\u{e0000}-\u{e0fff}]/gu;

/** No text without one of these needs a second look: saves the walk over most texts. */
const SIGNS = /[^\n\t\x20-\x7e]|[<[]|(?:human|assistant|system|user|developer)[*_\s]{0,4}:/i;

/** `<|im_start|>`, also with full-width bars or brackets, and what stands between them. */
const SPECIAL_TOKEN = /[<＜]\s{0,3}[|｜]([^|｜<>\n]{0,60})[|｜]\s{0,3}[>＞]/g;

/** Markers of chat templates: `[INST]`, `<<SYS>>`, `<s>`, `<start_of_turn>` and the like. */
const TEMPLATE_MARK =
  /\[(\/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS))\]|[<＜]{1,2}(\/?(?:SYS|s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|start_header_id|end_header_id|begin_of_text|end_of_text|eot_id))[>＞]{1,2}/gi;

/** Words that make a tag one of a role, a tool call or this program's own frames, whatever else stands in it. */
const ROLES =
  "(?:system|user|assistant|developer)[_-]?(?:prompt|message|reminder|instructions?)|system|user|assistant|human|developer|" +
  "(?:tool|function)[_-]?(?:calls?|results?|use|response|outputs?)|tool|invoke|parameter|summary|ledger|standing|bootstrap|im_start|im_end";

/** Words that do so alone or with attributes: programs print `<function f at 0x1>`. */
const FRAMES = "ai|model|message|role|instructions?|prompt|admin|function|notes?|data|think|thinking";

const OPENING = String.raw`[<＜‹〈﹤]\s{0,3}(/?)\s{0,3}((?:[a-z]{2,10}:)?(?:`;
const REST = String.raw`[^<>＜＞‹›〈〉﹤﹥\n]{0,200}`;

const ROLE_TAG = new RegExp(
  String.raw`${OPENING}(?:${ROLES})(?![\w.-])|(?:${FRAMES})(?=\s*/?\s*[>＞›〉﹥]|\s*=|\s+[\w:-]+\s*=|\s+[0-9a-f]{4,16}[\s/]*[>＞›〉﹥])))(${REST})[>＞›〉﹥]`,
  "gi",
);

/** The same without an end: a reader would close it by itself. */
const OPEN_ROLE_TAG = new RegExp(String.raw`${OPENING}${ROLES}|${FRAMES}))(?=[\s/]*$)`, "gim");

/** What is left of a tag whose end is far away or missing. */
const ROLE_OPENING = new RegExp(`[<＜](?=/?(?:[a-z]{2,10}:)?(?:${ROLES})(?![\\w.-]))`, "gi");

/** `Human:` at the beginning of a line, as the turns of a transcript are written. */
const ROLE_LINE = /^([\s#*_>]{0,8})(human|assistant|system|user|developer)([*_\s]{0,4}:)/gim;

/** Rounds in which tags inside of tags are looked for, before every bracket goes. */
const ROUNDS = 4;

/** Shortest mark that is looked for: shorter ones occur by chance. */
const SHORTEST_MARK = 4;

/** What stands where the mark stood. */
const NO_MARK = "[mark]";

/**
 * A text of a tool, a user or a model made fit to be quoted to a model: nothing unseen is in it, and nothing that a
 * chat template, a reader of transcripts or this program's own frames would take for structure. Brackets become
 * parentheses, so that a person still reads what stood there. Ordinary text comes back as it was, and so does a text
 * that was sanitised before.
 *
 * `nonce`: the caller's secret mark; its occurrences, in any case, are taken out too.
 */
export function sanitizeText(text: string, nonce: string | null = null): string {
  if (!SIGNS.test(text)) return nonce === null ? text : withoutMark(text, nonce);
  const seen = text.replace(UNSEEN, unseenReplacement);
  // The mark goes first: what stands around it may make a tag.
  let plain = nonce === null ? seen : withoutMark(seen, nonce);
  for (let round = 0; round < ROUNDS; round++) {
    const next = defused(plain);
    if (next === plain) return plain;
    plain = next;
  }
  return defused(plain) === plain ? plain : plain.replace(/[<＜‹〈﹤]/g, "(").replace(/[>＞›〉﹥]/g, ")");
}

/** A text in which a mark does not occur, in any case. */
export function withoutMark(text: string, mark: string): string {
  if (mark.length < SHORTEST_MARK || !text.toLowerCase().includes(mark.toLowerCase())) return text;
  return text.replace(new RegExp(mark.replace(/[^\w]/g, "\\$&"), "gi"), NO_MARK);
}

/** Line and paragraph separators are ends of lines to a reader; all else that is unseen goes. */
function unseenReplacement(character: string): string {
  return character === "\u2028" || character === "\u2029" ? "\n" : "";
}

function defused(text: string): string {
  return text
    .replace(SPECIAL_TOKEN, (_, name: string) => `(${name.trim()})`)
    .replace(TEMPLATE_MARK, (_, bracket: string | undefined, angle: string | undefined) => `(${bracket ?? angle})`)
    .replace(ROLE_TAG, (_, slash: string, name: string, rest: string) => `(${slash}${name}${rest.trimEnd()})`)
    .replace(OPEN_ROLE_TAG, (_, slash: string, name: string) => `(${slash}${name}`)
    .replace(ROLE_OPENING, "(")
    .replace(ROLE_LINE, (_, before: string, role: string, after: string) => `${before}(${role})${after}`);
}
