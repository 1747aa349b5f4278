import { setImmediate as nextTurn } from "node:timers/promises";
import { ContextdError } from "../model/errors.ts";
import { estimateTokens } from "./estimate.ts";
import { tokenizers as builtIn } from "./registry.ts";
import type { Tokenizer, TokenizerFactory } from "./tokenizer.ts";
import { type LostReason, WorkerQueue } from "./worker-queue.ts";

/** Longest text that is counted on the calling thread, in UTF-16 units. */
export const SYNC_LIMIT = 256 * 1024;

/** Texts up to this many UTF-16 units are counted on the calling thread whatever they hold: some 20 ms at worst. */
export const QUICK_LIMIT = 32 * 1024;

/** Bytes of one unbroken run of letters, white space or signs beyond which a longer text is not counted there. */
const LONGEST_SYNC_PIECE = 32 * 1024;

const DEFAULT_BUDGET_MS = 2000;
/** Bytes counted between two turns of the event loop where there is no worker: about a millisecond's work. */
const SLICE_BYTES = 16 * 1024;
/** The rule of thumb: whatever it counts is approximate. */
const FALLBACK_ENCODING = "chars";

export interface TokenCount {
  readonly tokens: number;
  /** True for an estimate: a text that takes long and was not given the time, or the fallback encoding. */
  readonly approximate: boolean;
}

export interface TokenCounterOptions {
  /** Whose implementation of the encodings counts: our own, or js-tiktoken's encoder. */
  readonly tokenizer?: "own" | "js-tiktoken";
  /** Time a text may take in the worker before it is estimated, in milliseconds. */
  readonly budgetMs?: number;
  /** The worker's module; null for no worker. By default the compiled one beside this file. */
  readonly workerUrl?: URL | null;
}

export interface TokenCounterDependencies {
  /** Tokenizers beside the built-in ones, such as plug-ins': they count on the calling thread, in slices if they can. */
  readonly tokenizers?: Readonly<Record<string, TokenizerFactory>>;
  /** Told of each text that is estimated because the worker did not count it. */
  readonly onLost?: (reason: LostReason) => void;
}

interface Made {
  /** Its name in the registry. */
  readonly key: string;
  readonly tokenizer: Tokenizer;
}

/**
 * Counts tokens of texts by encoding. Most texts at once; those that take long in a worker thread, within a time budget, and by
 * estimate beyond it. Tokenizers are made when their encoding is first asked for.
 */
export class TokenCounter {
  readonly #prefix: string;
  readonly #factories: Readonly<Record<string, TokenizerFactory>>;
  readonly #made = new Map<string, Made>();
  readonly #onLost: (reason: LostReason) => void;
  readonly #worker: WorkerQueue | null;

  constructor(options: TokenCounterOptions = {}, dependencies: TokenCounterDependencies = {}) {
    this.#prefix = options.tokenizer === "js-tiktoken" ? "js-tiktoken:" : "";
    this.#factories = { ...builtIn, ...dependencies.tokenizers };
    this.#onLost = dependencies.onLost ?? (() => {});
    const url = options.workerUrl === undefined ? compiledWorker() : options.workerUrl;
    this.#worker = url === null ? null : new WorkerQueue({ url, budgetMs: options.budgetMs ?? DEFAULT_BUDGET_MS });
  }

  /** Tokens of the text: exact where that is quick, otherwise an estimate from samples. */
  count(text: string, encoding: string): TokenCount {
    return (
      this.countIfQuick(text, encoding) ?? {
        tokens: estimateTokens(text, this.#tokenizer(encoding).tokenizer),
        approximate: true,
      }
    );
  }

  /**
   * Exact tokens of the text, or null where they take more than some milliseconds: over `SYNC_LIMIT`, or with an
   * unbroken run of tens of kilobytes.
   */
  countIfQuick(text: string, encoding: string): TokenCount | null {
    const { tokenizer } = this.#tokenizer(encoding);
    if (encoding === FALLBACK_ENCODING) return { tokens: tokenizer.count(text), approximate: true };
    if (text.length > SYNC_LIMIT) return null;
    const tokens =
      text.length > QUICK_LIMIT && tokenizer.countShortPieces
        ? tokenizer.countShortPieces(text, LONGEST_SYNC_PIECE)
        : tokenizer.count(text);
    return tokens === null ? null : { tokens, approximate: false };
  }

  /**
   * Tokens of a text of any length without holding up the event loop. Exact, unless the time budget ran out, the
   * worker died or the counter was closed: then an estimate, marked approximate.
   */
  async countLarge(text: string, encoding: string): Promise<TokenCount> {
    const quick = this.countIfQuick(text, encoding);
    if (quick !== null) return quick;
    const { key, tokenizer } = this.#tokenizer(encoding);
    if (this.#worker === null || builtIn[key] !== this.#factories[key]) {
      return { tokens: await countBetweenTurns(text, tokenizer), approximate: false };
    }
    const result = await this.#worker.count(key, text);
    if (typeof result === "number") return { tokens: result, approximate: false };
    this.#onLost(result);
    return { tokens: estimateTokens(text, tokenizer), approximate: true };
  }

  /** Ends the worker thread. What is still asked for is counted by estimate. */
  async close(): Promise<void> {
    await this.#worker?.close();
  }

  #tokenizer(encoding: string): Made {
    const known = this.#made.get(encoding);
    if (known !== undefined) return known;
    const prefixed = this.#prefix + encoding;
    const key = Object.hasOwn(this.#factories, prefixed) ? prefixed : encoding;
    const make = Object.hasOwn(this.#factories, key) ? this.#factories[key] : undefined;
    if (make === undefined) {
      const names = Object.keys(this.#factories).filter((name) => !name.includes(":"));
      throw new ContextdError("invalid_params", `No tokenizer counts ${encoding}: use one of ${names.join(", ")}.`, {
        encoding,
      });
    }
    const made = { key, tokenizer: make() };
    this.#made.set(encoding, made);
    return made;
  }
}

/** Null when running from TypeScript sources, which Node 20 cannot load in a worker. */
function compiledWorker(): URL | null {
  return import.meta.url.endsWith(".js") ? new URL("./counting-worker.js", import.meta.url) : null;
}

async function countBetweenTurns(text: string, tokenizer: Tokenizer): Promise<number> {
  if (tokenizer.countInSlices === undefined) return tokenizer.count(text);
  const slices = tokenizer.countInSlices(text, SLICE_BYTES);
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await nextTurn();
  }
}
