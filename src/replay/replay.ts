import { type Config, type Plugins, resolveSettings } from "../config/index.ts";
import { ContextdError } from "../model/errors.ts";
import type { MessageFormatName } from "../model/message.ts";
import type { ZoneThresholds } from "../model/zone.ts";
import { openNeedModel } from "../need-models.ts";
import { ModelCatalogue, type RelativePrices, relativePrices, TokenCounter } from "../tokens/index.ts";
import { readBackgroundVocabulary } from "./background-vocabulary.ts";
import type { BestOf, Contender } from "./contender.ts";
import type { CountName } from "./count-names.ts";
import { messageTokens, REPLAY_MODEL, replayModel } from "./counting.ts";
import { type Figures, LEAST_NEEDS, Measure, type MeasureTerms, unboundedCost } from "./measure.ts";
import { policyNamed } from "./policies.ts";
import { type PreparedRun, prepareRun } from "./prepared-run.ts";
import { parseRun } from "./recorded-run.ts";
import { parseWindow, type Unfit, unfitWindow, type WindowSpec, zoneBounds } from "./windows.ts";

/** What to replay and how. Plain data: it goes to worker threads. */
export interface ReplayOptions {
  readonly policies: readonly string[];
  /** As `parseWindow` reads them. */
  readonly windows: readonly string[];
  readonly count: CountName;
  /** The model whose cache prices are reckoned with; null: 0.1 and 1.25 of a fresh token. */
  readonly model: string | null;
  /** The message format of the sessions; null: that of the record. */
  readonly format: MessageFormatName | null;
}

export interface ReplayParts {
  readonly config: Config;
  readonly plugins: Plugins;
}

/** One policy with one run at one window. */
export interface Replayed {
  readonly window: string;
  readonly windowTokens: number;
  /** Tokens at which the zones of a session begin that acts at the window. */
  readonly zones: ZoneThresholds;
  readonly policy: string;
  /** The one that was best of several; null where the policy is one. */
  readonly variant: string | null;
  readonly figures: Figures;
}

/** What came of one run. */
export interface RunReport {
  readonly id: string;
  readonly family: string;
  readonly task: string | null;
  readonly promptKey: string;
  readonly turns: number;
  readonly tokens: number;
  /** What the cache costs, as multiples of a fresh input token. */
  readonly prices: RelativePrices;
  readonly replayed: readonly Replayed[];
  /** Windows at which the run says nothing, and why. */
  readonly skipped: readonly { readonly window: string; readonly reason: Unfit }[];
}

/** Replays recorded runs, one after the other; counters and catalogue are kept from run to run. */
export class Replayer {
  readonly #options: ReplayOptions;
  readonly #config: Config;
  readonly #counter: TokenCounter;
  readonly #catalogue: ModelCatalogue;
  readonly #prices: RelativePrices;
  readonly #contenders: readonly (Contender | BestOf)[];
  readonly #windows: readonly WindowSpec[];
  readonly #background: ReadonlySet<string>;

  /** Throws invalid_params for a policy or a window that is none. */
  constructor(options: ReplayOptions, { config, plugins }: ReplayParts) {
    this.#options = options;
    this.#config = config;
    this.#windows = options.windows.map(parseWindow);
    this.#counter = new TokenCounter({ tokenizer: config.tokenizer, workerUrl: null });
    const prices = options.model === null ? null : new ModelCatalogue(config.models).find(options.model).prices;
    this.#prices = relativePrices(prices);
    const model = replayModel(options.count, prices);
    this.#catalogue = new ModelCatalogue({ ...config.models, [REPLAY_MODEL]: model });
    const needModel = openNeedModel(config);
    const parts = { config, plugins, catalogue: this.#catalogue, counter: this.#counter, needModel };
    this.#contenders = options.policies.map((name) => policyNamed(name, parts));
    this.#background = readBackgroundVocabulary();
  }

  /** Replays one run under all policies at all windows that it fits. Throws invalid_params when it cannot be read. */
  async replay(text: string, name: string): Promise<RunReport> {
    const recorded = parseRun(text, name);
    const run = prepareRun(recorded, {
      format: this.#options.format ?? recorded.format,
      background: this.#background,
      tokensOf: (format) => messageTokens(this.#options.count, format, this.#services),
    });
    const prices = this.#prices;
    const whole = unboundedCost(run, prices);
    const replayed: Replayed[] = [];
    const skipped: { window: string; reason: Unfit }[] = [];
    for (const { label, tokensOf } of this.#windows) {
      const window = tokensOf(run.tokens);
      const terms = { window, prices, unboundedCost: whole };
      const unfit = unfitWindow(window, { tokens: run.tokens, pinned: run.pinnedTokens }) ?? tooFewNeeds(run, terms);
      if (unfit !== null) {
        skipped.push({ window: label, reason: unfit });
        continue;
      }
      const zones = zoneBounds(window, resolveSettings(this.#config, this.#config.profile));
      const field = new Field(run, terms);
      for (const contender of this.#contenders) {
        const measured = await field.measure(contender);
        replayed.push({ window: label, windowTokens: window, zones, policy: contender.name, ...measured });
      }
    }
    const { id, family, task, promptKey } = recorded;
    const { tokens, needs } = run;
    return { id, family, task, promptKey, turns: needs.turns.length, tokens, prices, replayed, skipped };
  }

  get #services() {
    return { counter: this.#counter, catalogue: this.#catalogue };
  }
}

/** Needs are counted or not by the run and the window alone: any policy tells. */
function tooFewNeeds(run: PreparedRun, terms: MeasureTerms): Unfit | null {
  const measure = new Measure(run, terms);
  for (const _ of run.needs.turns) measure.add({ readings: [], ids: [], edits: 0 });
  return measure.figures().needs < LEAST_NEEDS ? "too_few_needs" : null;
}

type Measured = Pick<Replayed, "variant" | "figures">;

/** One run at one window: each contender is measured once, however many ask. */
class Field {
  readonly #run: PreparedRun;
  readonly #terms: MeasureTerms;
  readonly #measured = new Map<Contender, Figures>();

  constructor(run: PreparedRun, terms: MeasureTerms) {
    this.#run = run;
    this.#terms = terms;
  }

  async measure(contender: Contender | BestOf): Promise<Measured> {
    if (!("bestOf" in contender)) return { variant: null, figures: await this.#figuresOf(contender) };
    const all: { readonly variant: string; readonly figures: Figures }[] = [];
    for (const one of contender.bestOf) all.push({ variant: one.name, figures: await this.#figuresOf(one) });
    return all.reduce((best, one) => (isBetter(one.figures, best.figures) ? one : best));
  }

  async #figuresOf(contender: Contender): Promise<Figures> {
    const figures = this.#measured.get(contender) ?? (await measureReplay(this.#run, contender, this.#terms));
    this.#measured.set(contender, figures);
    return figures;
  }
}

/** By line recall, and of equals by cost. */
function isBetter(a: Figures, b: Figures): boolean {
  return (a.line ?? 0) > (b.line ?? 0) || (a.line === b.line && a.cost < b.cost);
}

/** Throws invalid_history when the contender makes fewer requests than the run has. */
export async function measureReplay(run: PreparedRun, contender: Contender, terms: MeasureTerms): Promise<Figures> {
  const measure = new Measure(run, terms);
  let requests = 0;
  for await (const { context, ids, edits } of contender.play(run, terms.window)) {
    if (requests++ === run.needs.turns.length) break;
    measure.add({ readings: run.readings.of(context), ids, edits });
  }
  if (requests === run.needs.turns.length) return measure.figures();
  throw new ContextdError(
    "invalid_history",
    `${run.recorded.id} has ${run.needs.turns.length} assistant messages, and another number in the format ${run.format}: replay it as it was recorded.`,
  );
}
