import { type Config, type Plugins, resolveSettings } from "../config/index.ts";
import type { MessageFormatName } from "../model/message.ts";
import type { ZoneThresholds } from "../model/zone.ts";
import { openNeedModel } from "../need-models.ts";
import { ModelCatalogue, type RelativePrices, relativePrices, TokenCounter } from "../tokens/index.ts";
import { readBackgroundVocabulary } from "./background-vocabulary.ts";
import type { BestOf, Contender } from "./contender.ts";
import type { CountName } from "./count-names.ts";
import { messageTokens, REPLAY_MODEL, replayModel } from "./counting.ts";
import { Field, type Measured } from "./field.ts";
import { type ManagedParts, type ManagedSettings, managedContender } from "./managed.ts";
import { type Figures, LEAST_NEEDS, Measure, type MeasureTerms, unboundedCost } from "./measure.ts";
import { policyNamed } from "./policies.ts";
import { type PreparedRun, prepareRun } from "./prepared-run.ts";
import { parseRun } from "./recorded-run.ts";
import { mostHeld, parseWindow, type Unfit, unfitWindow, type WindowSpec, zoneBounds } from "./windows.ts";

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
export interface Replayed extends Measured {
  readonly window: string;
  readonly windowTokens: number;
  /** Tokens at which the zones of a session begin that acts at the window. */
  readonly zones: ZoneThresholds;
  readonly policy: string;
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

/** A run that was read and prepared, and the windows that it fits: what all replays of it share. */
export interface OpenRun {
  readonly run: PreparedRun;
  readonly prices: RelativePrices;
  readonly windows: readonly OpenWindow[];
  readonly skipped: RunReport["skipped"];
}

/** A window as it was asked for, and what it means for the run. */
interface OpenWindow {
  readonly label: string;
  readonly terms: MeasureTerms;
}

/** What one policy did at one window. */
export interface WindowFigures {
  readonly window: string;
  readonly figures: Figures;
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
  readonly #managed: ManagedParts;

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
    this.#managed = {
      config,
      plugins,
      catalogue: this.#catalogue,
      counter: this.#counter,
      needModel: openNeedModel(config),
    };
    this.#contenders = options.policies.map((name) => policyNamed(name, this.#managed));
    this.#background = readBackgroundVocabulary();
  }

  /**
   * Replays one run under all policies at all windows that it fits. Throws invalid_params when it cannot be read.
   *
   * @param between awaited before each policy: what it throws ends the replay.
   */
  async replay(text: string, name: string, between?: (policy: string) => Promise<void>): Promise<RunReport> {
    const open = this.open(text, name);
    const replayed: Replayed[] = [];
    for (const { label, terms } of open.windows) {
      const { window } = terms;
      const zones = zoneBounds(window, this.#settings);
      const field = new Field(open.run, terms);
      for (const contender of this.#contenders) {
        await between?.(contender.name);
        const measured = await field.measure(contender);
        replayed.push({ window: label, windowTokens: window, zones, policy: contender.name, ...measured });
      }
    }
    return reportOfRun(open, replayed);
  }

  /** Reads one run and prepares it. Throws invalid_params when it cannot be read. */
  open(text: string, name: string): OpenRun {
    const recorded = parseRun(text, name);
    const run = prepareRun(recorded, {
      format: this.#options.format ?? recorded.format,
      background: this.#background,
      tokensOf: (format) => messageTokens(this.#options.count, format, this.#services),
    });
    const windows: OpenWindow[] = [];
    const skipped: { window: string; reason: Unfit }[] = [];
    const own = recorded.windowTokens === null ? null : mostHeld(recorded.windowTokens, this.#settings);
    const prices = this.#prices;
    const whole = unboundedCost(run, prices);
    for (const { label, tokensOf } of this.#windows) {
      const window = tokensOf({ tokens: run.tokens, own });
      if (window === null) {
        skipped.push({ window: label, reason: "window_unknown" });
        continue;
      }
      const terms = { window, prices, unboundedCost: whole };
      const unfit = unfitWindow(window, { tokens: run.tokens, pinned: run.pinnedTokens }) ?? tooFewNeeds(run, terms);
      if (unfit === null) windows.push({ label, terms });
      else skipped.push({ window: label, reason: unfit });
    }
    return { run, prices, windows, skipped };
  }

  /**
   * Replays an open run with settings of a session over those of the config, at all windows that it fits. Any number of
   * replays of one run keep no more than the run itself in memory. Throws invalid_params for settings that do not fit.
   */
  async replayWith(open: OpenRun, own: ManagedSettings): Promise<WindowFigures[]> {
    const contender = managedContender("own", this.#managed, own);
    const run = { ...open.run, readings: open.run.readings.branch() };
    const all: WindowFigures[] = [];
    for (const { label, terms } of open.windows) {
      const { figures } = await new Field(run, terms).measure(contender);
      all.push({ window: label, figures });
    }
    return all;
  }

  /** Of a session of the config's own profile. */
  get #settings() {
    return resolveSettings(this.#config, this.#config.profile);
  }

  get #services() {
    return { counter: this.#counter, catalogue: this.#catalogue };
  }
}

/** What is told of a run and its replays. */
export function reportOfRun({ run, prices, skipped }: OpenRun, replayed: readonly Replayed[]): RunReport {
  const { id, family, task, promptKey } = run.recorded;
  const { tokens, needs } = run;
  return { id, family, task, promptKey, turns: needs.turns.length, tokens, prices, replayed, skipped };
}

/** Needs are counted or not by the run and the window alone: any policy tells. */
function tooFewNeeds(run: PreparedRun, terms: MeasureTerms): Unfit | null {
  const measure = new Measure(run, terms);
  for (const _ of run.needs.turns) measure.add({ readings: [], ids: [], edits: 0 });
  return measure.figures().needs < LEAST_NEEDS ? "too_few_needs" : null;
}
