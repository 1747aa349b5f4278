import { type Phrase, phrase } from "./phrase.ts";
import type { RefusalKind } from "./refusal.ts";

/** One thing that a provider says. */
export interface RefusalRule {
  /** `provider.name`: small letters and underscores. */
  readonly name: string;
  readonly kind: Exclude<RefusalKind, "unknown">;
  /** Wordings over the versions, the one with the most numbers first: the first that matches counts. */
  readonly phrases: readonly Phrase[];
  /** Servers of others say the same: the sender is looked for in the rest of the error. */
  readonly shared: boolean;
  /** So general that any other rule's match comes before it. */
  readonly weak: boolean;
}

/** What is known of one provider, or of one family of servers. */
export interface Provider {
  readonly name: string;
  readonly summary: string;
  /** Words, normalised, that give it away as the sender of a wording that others use as well. */
  readonly hints: readonly string[];
  readonly rules: readonly RefusalRule[];
}

type RuleSource = Pick<RefusalRule, "kind"> &
  Partial<Pick<RefusalRule, "shared" | "weak">> & { readonly says: readonly string[] };

/** Builds a provider of templates (see {@link phrase}); rules by their name within it. */
export function provider(
  source: Pick<Provider, "name" | "summary" | "hints"> & { readonly rules: Readonly<Record<string, RuleSource>> },
): Provider {
  const rules = Object.entries(source.rules).map(([name, { says, shared = false, weak = false, kind }]) => ({
    name: `${source.name}.${name}`,
    kind,
    shared,
    weak,
    phrases: says.map(phrase),
  }));
  return { ...source, rules };
}
