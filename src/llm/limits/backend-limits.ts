import type { Clock } from "../../model/clock.ts";
import type { WireName } from "../wire/index.ts";
import type { Endpoint, Prompt } from "../wire/wire.ts";
import { LIMITS_SOURCES } from "./index.ts";
import type { Ask, LimitsSource } from "./source.ts";

/** What a backend takes. `source`: who said so, a backend's name or `catalogue`; null: nobody knows. */
export interface LlmLimits {
  /** Input and output together, in tokens. */
  readonly contextTokens: number | null;
  readonly source: string | null;
}

/** Models are swapped and reloaded with other windows while we run, ms. */
const KNOWN_MS = 600_000;
/** After an answer that is none, or only a least, ms: the server may be starting, or loading the model. */
const UNKNOWN_MS = 30_000;

const UNKNOWN: LlmLimits = { contextTokens: null, source: null };

interface BackendLimitsDependencies {
  readonly clock: Clock;
  readonly endpoint: () => Endpoint;
  /** Does the work with a way to ask, and bounds its time as a whole: when it is over, asking gives undefined at once. */
  readonly within: <T>(work: (ask: Ask) => Promise<T>) => Promise<T>;
}

/** The limits of one backend: asked when they are needed, kept for a while. Never rejects. */
export class BackendLimits {
  readonly #sources: readonly LimitsSource[];
  readonly #dependencies: BackendLimitsDependencies;
  #known: LlmLimits = UNKNOWN;
  #until = Number.NEGATIVE_INFINITY;
  #asking: Promise<LlmLimits> | null = null;
  /** The kind that answered last; a backend does not change its kind while it answers. */
  #kind: LimitsSource | null = null;

  constructor(api: WireName, dependencies: BackendLimitsDependencies) {
    this.#sources = LIMITS_SOURCES.filter((source) => source.api === api);
    this.#dependencies = dependencies;
  }

  /** What was told last, without asking. */
  get known(): LlmLimits {
    return this.#known;
  }

  read(): Promise<LlmLimits> {
    if (this.#dependencies.clock.monotonic() < this.#until) return Promise.resolve(this.#known);
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** Tokens of a prompt, counted by the backend; null when it does not count. */
  async count(prompt: Prompt): Promise<number | null> {
    const kinds = this.#kind ? [this.#kind] : this.#sources;
    return this.#first(kinds, async (kind, ask, endpoint) => (await kind.count?.(endpoint, prompt, ask)) ?? null);
  }

  async #ask(): Promise<LlmLimits> {
    const kinds = [...this.#sources].sort((a, b) => Number(b === this.#kind) - Number(a === this.#kind));
    const found = await this.#first(kinds, async (kind, ask, endpoint) => {
      const window = (await kind.window?.(endpoint, ask)) ?? null;
      return window && { kind, window };
    });
    if (found) {
      this.#kind = found.kind;
      this.#known = { contextTokens: found.window.tokens, source: found.kind.name };
    }
    this.#until = this.#dependencies.clock.monotonic() + (found?.window.settled === true ? KNOWN_MS : UNKNOWN_MS);
    return this.#known;
  }

  /** What the first of the kinds has to say that says anything. */
  async #first<T>(
    kinds: readonly LimitsSource[],
    question: (kind: LimitsSource, ask: Ask, endpoint: Endpoint) => Promise<T | null>,
  ): Promise<T | null> {
    const { endpoint, within } = this.#dependencies;
    try {
      const asked = endpoint();
      return await within(async (ask) => {
        for (const kind of kinds) {
          const answer = await question(kind, ask, asked);
          if (answer !== null) return answer;
        }
        return null;
      });
    } catch {
      // There is no key to ask with; the next call to the model says so.
      return null;
    }
  }
}
