import { readFileSync } from "node:fs";
import { isClearSuffix, modelName } from "./model-names.ts";

/** USD for a million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  /** An input token read from the prompt cache; null: not known. */
  readonly cache_read: number | null;
  /** An input token written to the prompt cache; null: no separate price is listed. */
  readonly cache_write: number | null;
}

export interface ModelEntry {
  /** The name that was asked for. */
  readonly name: string;
  /** Whose model it is: `openai`, `anthropic`, …; `unknown` when not even that is known. */
  readonly provider: string;
  /** The encoding its tokens are counted with: a name of the tokenizer registry. */
  readonly encoding: string;
  /** True when the encoding is the model's own, so that counts of text are exact. */
  readonly exact: boolean;
  /** Input and output together, in tokens. */
  readonly context_window: number;
  /** Where the provider takes less input than the window; else null. */
  readonly max_input_tokens: number | null;
  /** null: not known. */
  readonly max_output_tokens: number | null;
  /** null: not known. */
  readonly prices: ModelPrices | null;
  /** True when the window is a guess, from the model's family or from nothing. */
  readonly guessed: boolean;
}

/** What a configuration may say of a model; what it leaves out stays as the catalogue has it. */
export type ModelOverride = Partial<Omit<ModelEntry, "name" | "guessed">>;

interface CataloguedModel extends Omit<ModelEntry, "guessed" | "max_input_tokens"> {
  readonly aliases?: readonly string[];
  readonly max_input_tokens?: number;
}

interface Family {
  readonly prefix: string;
  readonly provider: string;
  readonly context_window?: number;
}

interface CatalogueFile {
  readonly models: readonly CataloguedModel[];
  readonly families: readonly Family[];
}

/**
 * The window of a model that nothing is known of: the size that most models on sale have at least. Too large a guess
 * is corrected by the first overflow report, too small a one would evict without need for ever.
 */
const GUESSED_WINDOW = 128_000;
const GUESSED_ENCODING = "o200k_base";
/** Names whose entries are remembered: agents choose the names, so they must not fill the memory. */
const REMEMBERED = 256;

/**
 * What is known of each model: built in (models.json) and overridden by the configuration.
 *
 * A name is found as it is, or without what gateways put around it (`litellm_proxy/anthropic/…`, `us.anthropic.…`,
 * `ft:…:org`), or as the longest known name it starts with. If what follows that name is a date or version it is the
 * same model; if it is anything else, or only the family is known, the entry is the best guess and says so.
 */
export class ModelCatalogue {
  readonly #overrides: ReadonlyMap<string, ModelOverride>;
  readonly #models = new Map<string, CataloguedModel>();
  readonly #families: readonly Family[];
  /** Entries by the name that was asked for: every hook asks, and mostly for the same few. */
  readonly #found = new Map<string, ModelEntry>();

  /** Reads models.json from the disk. */
  constructor(overrides: Readonly<Record<string, ModelOverride>> = {}) {
    const file = JSON.parse(readFileSync(new URL("./models.json", import.meta.url), "utf8")) as CatalogueFile;
    for (const model of file.models) {
      for (const name of [model.name, ...(model.aliases ?? [])]) this.#models.set(name, model);
    }
    this.#families = file.families;
    this.#overrides = new Map(Object.entries(overrides).map(([name, override]) => [modelName(name), override]));
  }

  /** Names and aliases of the built-in models. */
  names(): readonly string[] {
    return [...this.#models.keys()];
  }

  /** Never fails: an unknown model gets a guessed entry. */
  find(model: string): ModelEntry {
    const known = this.#found.get(model);
    if (known) return known;
    if (this.#found.size >= REMEMBERED) this.#found.clear();
    const found = this.#find(model);
    this.#found.set(model, found);
    return found;
  }

  #find(model: string): ModelEntry {
    const name = modelName(model);
    const known = this.#known(model, name);
    const match = longestPrefix(this.#overrides.keys(), name);
    const override = match?.clear ? this.#overrides.get(match.name) : undefined;
    if (override === undefined) return known;
    const sameEncoding = override.encoding === undefined || override.encoding === known.encoding;
    return {
      ...known,
      exact: known.exact && sameEncoding,
      max_input_tokens: override.context_window === undefined ? known.max_input_tokens : null,
      ...override,
      guessed: known.guessed && override.context_window === undefined,
    };
  }

  #known(asked: string, name: string): ModelEntry {
    const match = longestPrefix(this.#models.keys(), name);
    const model = match === null ? undefined : this.#models.get(match.name);
    if (match === null || model === undefined) return this.#guess(asked, name);
    const { aliases: _aliases, ...entry } = model;
    const isFineTuned = asked.startsWith("ft:");
    return {
      ...entry,
      name: asked,
      max_input_tokens: entry.max_input_tokens ?? null,
      // A fine-tuned model is sold at prices of its own.
      prices: isFineTuned || !match.clear ? null : entry.prices,
      exact: entry.exact && match.clear,
      guessed: !match.clear,
    };
  }

  #guess(asked: string, name: string): ModelEntry {
    const family = this.#families.find((one) => name.startsWith(one.prefix));
    return {
      name: asked,
      provider: family?.provider ?? "unknown",
      encoding: GUESSED_ENCODING,
      exact: false,
      context_window: family?.context_window ?? GUESSED_WINDOW,
      max_input_tokens: null,
      max_output_tokens: null,
      prices: null,
      guessed: true,
    };
  }
}

/** The longest of the names that `name` starts with, up to a boundary; `clear` when the rest tells no other model. */
function longestPrefix(names: Iterable<string>, name: string): { name: string; clear: boolean } | null {
  let best = "";
  for (const candidate of names) {
    if (candidate.length <= best.length || !name.startsWith(candidate)) continue;
    if (name.length === candidate.length || /[-:@_]/.test(name.charAt(candidate.length))) best = candidate;
  }
  return best === "" ? null : { name: best, clear: isClearSuffix(name.slice(best.length)) };
}

/** Prices as multiples of a fresh input token. */
export interface RelativePrices {
  readonly read: number;
  readonly write: number;
}

/** What a cached token costs where the prices are not known: Anthropic's ratios. */
const DEFAULT_RELATIVE_PRICES: RelativePrices = { read: 0.1, write: 1.25 };

/**
 * Prices of reading and writing the prompt cache as multiples of a fresh input token. A model with a read price and no
 * write price caches by itself and charges a write as fresh input.
 */
export function relativePrices(prices: ModelPrices | null): RelativePrices {
  if (prices === null || !(prices.input > 0) || prices.cache_read === null) return DEFAULT_RELATIVE_PRICES;
  return { read: prices.cache_read / prices.input, write: (prices.cache_write ?? prices.input) / prices.input };
}
