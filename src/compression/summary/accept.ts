import type { Count } from "../within-tokens.ts";
import { foldSummary } from "./fold.ts";
import { parseSummary, saysNothing } from "./parse.ts";
import { DATA_MARK } from "./prompt.ts";
import { sanitizeText } from "./sanitize.ts";
import { maskSecrets } from "./secrets.ts";
import { cleanSections, hasNoFacts, type SummarySections, sectionsBy } from "./sections.ts";

export interface AcceptInput {
  /** Tokens of what was summarised: a longer reply is no summary. */
  readonly inputTokens: number;
  /** Tokens of the accepted summary at most. */
  readonly limitTokens: number;
  readonly count: Count;
  /** The user's rules, word for word. What the reply says of constraints is thrown away. */
  readonly constraints: readonly string[];
  /** The mark of the prompt: a reply that holds it repeats the prompt. */
  readonly nonce: string;
}

/** Why a reply is no summary: fit for a metric label. */
export type RefusedReply = "empty" | "longer_than_input" | "refusal" | "echo" | "unparseable";

export type AcceptedSummary =
  | { readonly ok: true; readonly sections: SummarySections }
  | { readonly ok: false; readonly reason: RefusedReply };

/** A model that will not, in the first words of its reply. */
export const REFUSAL =
  /^\W*(?:I(?:'m| am) (?:sorry|unable|not able)|sorry\b|I (?:can(?:'|no)t|cannot|won't|will not|must decline)|I apologi[sz]e|unfortunately,? I|as an AI\b|I(?:'d| would) (?:prefer|rather) not)/i;

/** Items of a goal that a model wrote at most: the goal is never cut. */
const MOST_GOALS = 3;

/**
 * What a model's reply is worth. It is data of unknown intent: it is sanitised, its secrets are masked, it is cut to
 * the limit, and its constraints are the caller's, whatever it says. A reply that is no summary is refused by name.
 */
export function acceptSummary(replyText: string, input: AcceptInput): AcceptedSummary {
  const reply = replyText.replace(/\r\n?/g, "\n").trim();
  if (reply === "") return refused("empty");
  if (echoes(reply, input.nonce)) return refused("echo");
  // The smaller measure first: counting a hostile reply costs more than reading its length.
  if (reply.length > MOST_CHARACTERS * input.inputTokens || input.count(reply) >= input.inputTokens)
    return refused("longer_than_input");
  const parsed = parseSummary(sanitizeText(reply, input.nonce));
  if (parsed === null) return refused(REFUSAL.test(reply) ? "refusal" : "unparseable");
  const own = ownFacts(parsed);
  if (hasNoFacts(own)) return refused("empty");
  return { ok: true, sections: foldSummary(null, { ...own, constraints: input.constraints }, input) };
}

/** Characters a token at most, for any text worth reading. */
export const MOST_CHARACTERS = 64;

/** Whether a reply repeats a mark of the prompt. */
export function echoes(reply: string, nonce: string): boolean {
  const lower = reply.toLowerCase();
  return lower.includes(nonce.toLowerCase()) || lower.includes(DATA_MARK.toLowerCase());
}

/** What the model says beside constraints; sanitised item by item, since taking a bullet off makes a new beginning. */
function ownFacts(parsed: SummarySections): SummarySections {
  return cleanSections(
    sectionsBy((name) => {
      if (name === "constraints") return [];
      const items = parsed[name].filter((item) => !saysNothing(item)).map((item) => maskSecrets(sanitizeText(item)));
      return name === "goal" ? items.slice(0, MOST_GOALS) : items;
    }),
  );
}

function refused(reason: RefusedReply): AcceptedSummary {
  return { ok: false, reason };
}
