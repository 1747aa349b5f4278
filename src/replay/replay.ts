import { readFileSync } from "node:fs";
import type { Config, Plugins } from "../config/index.ts";
import { scorers } from "../eviction/index.ts";
import { ContextdError } from "../model/errors.ts";
import type { MessageFormatName } from "../model/message.ts";
import { openNeedModel } from "../need-models.ts";
import { ModelCatalogue, TokenCounter } from "../tokens/index.ts";
import type { Contender } from "./contender.ts";
import type { CountName } from "./count-names.ts";
import { messageTokens, REPLAY_MODEL, replayModel } from "./counting.ts";
import { managedContender } from "./managed.ts";
import { type Figures, LEAST_NEEDS, Measure, unboundedCost } from "./measure.ts";
import { peers } from "./peers/index.ts";
import { type PreparedRun, prepareRun } from "./prepared-run.ts";
import { parseRun } from "./recorded-run.ts";
import { parseWindow, type Unfit, unfitWindow, type WindowSpec } from "./windows.ts";

/** What to replay and how. Plain data: it goes to worker threads. */
export interface ReplayOptions {
  readonly policies: readonly string[];
  /** As `parseWindow` reads them. */
  readonly windows: readonly string[];
  readonly count: CountName;
  /** The model whose cache prices the break-even gate reckons with; null: 0.1 and 1.25 of a fresh token. */
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
  readonly policy: string;
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
  readonly replayed: readonly Replayed[];
  /** Windows at which the run says nothing, and why. */
  readonly skipped: readonly { readonly window: string; readonly reason: Unfit }[];
}

/** Names that `policies` may hold. */
export function policyNames(plugins: Plugins): string[] {
  return [...Object.keys({ ...scorers, ...plugins.scorers }), ...peers.map(({ name }) => name)];
}

/** Replays recorded runs, one after the other; counters and catalogue are kept from run to run. */
export class Replayer {
  readonly #options: ReplayOptions;
  readonly #counter: TokenCounter;
  readonly #catalogue: ModelCatalogue;
  readonly #contenders: readonly Contender[];
  readonly #windows: readonly WindowSpec[];
  readonly #background: ReadonlySet<string>;

  /** Throws invalid_params for a policy or a window that is none. */
  constructor(options: ReplayOptions, { config, plugins }: ReplayParts) {
    this.#options = options;
    this.#windows = options.windows.map(parseWindow);
    this.#counter = new TokenCounter({ tokenizer: config.tokenizer, workerUrl: null });
    const prices = options.model === null ? null : new ModelCatalogue(config.models).find(options.model).prices;
    const model = replayModel(options.count, prices);
    this.#catalogue = new ModelCatalogue({ ...config.models, [REPLAY_MODEL]: model });
    const parts = {
      config,
      plugins,
      catalogue: this.#catalogue,
      counter: this.#counter,
      needModel: openNeedModel(config),
    };
    const legal = policyNames(plugins);
    this.#contenders = options.policies.map((name) => {
      if (!legal.includes(name)) {
        throw new ContextdError("invalid_params", `There is no policy ${name}; choose from ${legal.join(", ")}.`, {
          path: "policy",
        });
      }
      return peers.find((peer) => peer.name === name) ?? managedContender(name, parts);
    });
    this.#background = readBackground();
  }

  /** Replays one run under all policies at all windows that it fits. Throws invalid_params when it cannot be read. */
  async replay(text: string, name: string): Promise<RunReport> {
    const recorded = parseRun(text, name);
    const run = prepareRun(recorded, {
      format: this.#options.format ?? recorded.format,
      background: this.#background,
      tokensOf: (format) => messageTokens(this.#options.count, format, this.#services),
    });
    const cost = unboundedCost(run);
    const replayed: Replayed[] = [];
    const skipped: { window: string; reason: Unfit }[] = [];
    for (const { label, tokensOf } of this.#windows) {
      const window = tokensOf(run.tokens);
      const unfit = unfitWindow(window, { tokens: run.tokens, pinned: run.pinnedTokens }) ?? tooFewNeeds(run, window);
      if (unfit !== null) {
        skipped.push({ window: label, reason: unfit });
        continue;
      }
      for (const contender of this.#contenders) {
        const figures = await measureReplay(run, contender, window, cost);
        replayed.push({ window: label, windowTokens: window, policy: contender.name, figures });
      }
    }
    const { id, family, task, promptKey } = recorded;
    return { id, family, task, promptKey, turns: run.needs.turns.length, tokens: run.tokens, replayed, skipped };
  }

  get #services() {
    return { counter: this.#counter, catalogue: this.#catalogue };
  }
}

/** Needs are counted or not by the run and the window alone: any policy tells. */
function tooFewNeeds(run: PreparedRun, window: number): Unfit | null {
  const measure = new Measure(run, window, 1);
  for (const _ of run.needs.turns) measure.add({ readings: [], ids: [], edits: 0 });
  return measure.figures().needs < LEAST_NEEDS ? "too_few_needs" : null;
}

async function measureReplay(
  run: PreparedRun,
  contender: Contender,
  window: number,
  unbounded: number,
): Promise<Figures> {
  const measure = new Measure(run, window, unbounded);
  let requests = 0;
  for await (const { context, ids, edits } of contender.play(run, window)) {
    if (requests++ === run.needs.turns.length) break;
    measure.add({ readings: run.readings.of(context), ids, edits });
  }
  if (requests === run.needs.turns.length) return measure.figures();
  throw new ContextdError(
    "invalid_history",
    `${run.recorded.id} has ${run.needs.turns.length} assistant messages, and another number in the format ${run.format}: replay it as it was recorded.`,
  );
}

/** Identifiers that turn up in unrelated projects: writing one is no sign of having read it in this run. */
function readBackground(): ReadonlySet<string> {
  const file = new URL("./background-vocabulary.json", import.meta.url);
  return new Set(JSON.parse(readFileSync(file, "utf8")) as string[]);
}
