import type { Json } from "../../model/json.ts";
import { matchPhrase, type PhraseMatch } from "./phrase.ts";
import type { Provider, RefusalRule } from "./provider.ts";
import { providers } from "./providers/index.ts";
import type { Refusal, RefusalKind } from "./refusal.ts";
import { normalized, refusalText } from "./refusal-text.ts";

interface Found {
  readonly provider: Provider;
  readonly rule: RefusalRule;
  readonly match: PhraseMatch;
}

const UNKNOWN = { kind: "unknown", inputTokens: null, outputTokens: null, limit: null, rule: "unknown" } as const;

/**
 * What a provider says when it refuses a request, in whatever form its error came: a text, a body, a serialised error of
 * an SDK, JSON in a text, a Python repr. Never throws; the work is bounded, and proportional to the text.
 */
export function classifyRefusal(error: Json | undefined): Refusal {
  const text = refusalText(error);
  const found = fullestMatch(text);
  if (found === null) return { provider: sender(text, text.length) ?? "unknown", ...UNKNOWN };
  const { provider, rule, match } = found;
  return {
    provider: rule.shared ? (sender(text, match.at) ?? nameOf(provider)) : provider.name,
    kind: rule.kind,
    inputTokens: match.numbers.input ?? null,
    outputTokens: match.numbers.output ?? null,
    limit: match.numbers.limit ?? null,
    rule: rule.name,
  };
}

function nameOf({ name }: Provider): string {
  return name === "generic" ? "unknown" : name;
}

function fullestMatch(text: string): Found | null {
  let best: Found | null = null;
  let bestRank = -1;
  for (const provider of providers) {
    for (const rule of provider.rules) {
      const match = firstMatch(rule, text);
      if (match === null) continue;
      const rank = rankOf(rule, match);
      if (rank <= bestRank) continue;
      bestRank = rank;
      best = { provider, rule, match };
    }
  }
  return best;
}

function firstMatch({ phrases }: RefusalRule, text: string): PhraseMatch | null {
  for (const phrase of phrases) {
    const match = matchPhrase(phrase, text);
    if (match !== null) return match;
  }
  return null;
}

/** Kinds in the order in which one is believed where a text says several, as one that wraps another does. */
const BY_KIND: Readonly<Record<Exclude<RefusalKind, "unknown">, number>> = {
  context_length: 3,
  output_length: 4,
  tokens_per_minute: 4,
  request_size: 4,
  other: 2,
};

/**
 * A window told in numbers is believed before all: it cannot be meant otherwise. Then limits of another kind, then a
 * window without numbers, then failures of another kind, and last general words. More numbers are believed before fewer.
 */
function rankOf({ kind, weak }: RefusalRule, { numbers }: PhraseMatch): number {
  const told = Object.keys(numbers).length;
  if (weak) return 10;
  if (kind === "context_length" && told > 0) return 50 + told;
  return BY_KIND[kind] * 10 + told;
}

const HINTS = providers.map(({ name, hints }) => ({ name, hints: hints.map(normalized) }));

/** Who is named nearest before a place in the text, else nearest behind it. */
function sender(text: string, at: number): string | null {
  let before: { readonly at: number; readonly name: string } | null = null;
  let behind: { readonly at: number; readonly name: string } | null = null;
  for (const { name, hints } of HINTS) {
    for (const hint of hints) {
      const last = text.lastIndexOf(hint, at);
      if (last >= 0 && (before === null || last > before.at)) before = { at: last, name };
      const next = text.indexOf(hint, at);
      if (next >= 0 && (behind === null || next < behind.at)) behind = { at: next, name };
    }
  }
  return (before ?? behind)?.name ?? null;
}
