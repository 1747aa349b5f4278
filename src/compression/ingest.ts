import { characters } from "../lines/index.ts";
import type { Passage } from "../model/passage.ts";
import { truncateHeadTail } from "./head-tail.ts";
import { type Shortened, shorten } from "./shorten.ts";
import type { Count } from "./within-tokens.ts";

export interface IngestInput {
  /** `compression.ingest_max_tokens`. */
  readonly configured: number | "auto";
  /** The window, tokens. */
  readonly maxTokens: number;
  /** Tokens from which the zone is red. */
  readonly redTokens: number;
  readonly outputReserve: number;
  /** Tokens that will stand beside this result and cannot make room for it: the floor and what is pending. */
  readonly tokensWithout: number;
  /** Results that the running tool calls still bring, this one included: they share the room. */
  readonly pendingResults: number;
}

/** Share of the window that one tool result may take by default. */
const AUTO_SHARE = 0.25;

/** A result always keeps this many tokens (where a quarter of the window is not less): enough for its gist. */
const LEAST_TOKENS = 200;

/**
 * Tokens up to which a tool result enters the context as it is; a larger one is shortened. The smaller of
 * the configured limit (`auto`: a quarter of the window) and this result's share of the room that is left below
 * red, and never less than about 200 tokens.
 */
export function ingestLimit(input: IngestInput): number {
  const quarter = Math.floor(AUTO_SHARE * input.maxTokens);
  const wanted = input.configured === "auto" ? quarter : input.configured;
  const ceiling = Math.min(Math.ceil(input.redTokens) - 1, input.maxTokens - input.outputReserve);
  const room = Math.floor((ceiling - input.tokensWithout) / Math.max(1, input.pendingResults));
  return Math.max(Math.min(LEAST_TOKENS, quarter, wanted), Math.min(wanted, room));
}

/** What a tool result may have at most as it comes in. */
export interface IngestLimits {
  readonly limitTokens: number;
  /** Unicode characters; null: as many as the tokens allow. */
  readonly limitCharacters: number | null;
}

export interface IngestCutting extends IngestLimits {
  readonly countTokens: Count;
  /** What the agent can get the original back by; null: no marker names one. */
  readonly handle: string | null;
}

/** Characters of a token, about: turns the least sizes of a cut into characters. */
const CHARACTERS_PER_TOKEN = 4;
/** Part of what a limit in characters comes to in tokens that an extract is made for: its lines may be less dense. */
const DENSITY_MARGIN = 0.9;

/** Whether the text is within both limits. */
export function fitsLimits(text: string, tokens: number, { limitTokens, limitCharacters }: IngestLimits): boolean {
  return tokens <= limitTokens && (limitCharacters === null || characters(text) <= limitCharacters);
}

/** The passage brought within both limits: by its kind where that is asked for and does it, else to head and tail. */
export function cutToLimits(passage: Passage, method: "head_tail" | "structured", cutting: IngestCutting): Shortened {
  const extract = method === "structured" ? extractWithin(passage, cutting) : null;
  return extract ?? { by: "head_tail", text: headAndTailWithin(passage.text, cutting) };
}

/**
 * Half and half, counted in that of the two limits that is the tighter for each piece, so that both hold for the
 * whole, its marker included.
 */
function headAndTailWithin(text: string, { limitTokens, limitCharacters, countTokens, handle }: IngestCutting): string {
  if (limitCharacters === null) return truncateHeadTail(text, { limitTokens, count: countTokens, handle }).text;
  if (limitTokens <= 0) return "";
  const perToken = limitCharacters / limitTokens;
  return truncateHeadTail(text, {
    limitTokens: limitCharacters,
    count: (piece) => Math.max(characters(piece), Math.ceil(perToken * countTokens(piece))),
    countTokens,
    unitsPerToken: Math.max(CHARACTERS_PER_TOKEN, perToken),
    handle,
  }).text;
}

function extractWithin(passage: Passage, cutting: IngestCutting): Shortened | null {
  const { limitTokens, limitCharacters, countTokens, handle } = cutting;
  const tokens = countTokens(passage.text);
  const inTokens =
    limitCharacters === null
      ? limitTokens
      : Math.floor((DENSITY_MARGIN * limitCharacters * tokens) / Math.max(1, characters(passage.text)));
  const made = shorten("structured", passage, {
    limitTokens: Math.min(limitTokens, inTokens),
    count: countTokens,
    handle,
  });
  return made !== null && fitsLimits(made.text, countTokens(made.text), cutting) ? made : null;
}
