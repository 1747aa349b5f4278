import { readFileSync } from "node:fs";
import type { Config, Plugins } from "../config/index.ts";
import { scorers } from "../eviction/index.ts";
import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { MessageFormatName } from "../model/message.ts";
import { ModelCatalogue, TokenCounter } from "../tokens/index.ts";
import type { Contender } from "./contender.ts";
import type { CountName } from "./count-names.ts";
import { messageTokens, REPLAY_MODEL, replayModel } from "./counting.ts";
import { type ManagedParts, managedContender } from "./managed.ts";
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

/** A run that was read and prepared, with the windows that it fits: what all replays of it share. */
export interface OpenRun {
  readonly run: PreparedRun;
  readonly windows: readonly { readonly label: string; readonly tokens: number }[];
  readonly skipped: RunReport["skipped"];
  /** Cost of the run without any management. */
  readonly unboundedCost: number;
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
  readonly #managed: ManagedParts;

  /** Throws invalid_params for a policy or a window that is none. */
  constructor(options: ReplayOptions, { config, plugins }: ReplayParts) {
    this.#options = options;
    this.#windows = options.windows.map(parseWindow);
    this.#counter = new TokenCounter({ tokenizer: config.tokenizer, workerUrl: null });
    const prices = options.model === null ? null : new ModelCatalogue(config.models).find(options.model).prices;
    const model = replayModel(options.count, prices);
    this.#catalogue = new ModelCatalogue({ ...config.models, [REPLAY_MODEL]: model });
    this.#managed = { config, plugins, catalogue: this.#catalogue, counter: this.#counter };
    const legal = policyNames(plugins);
    this.#contenders = options.policies.map((name) => {
      if (!legal.includes(name)) {
        throw new ContextdError("invalid_params", `There is no policy ${name}; choose from ${legal.join(", ")}.`, {
          path: "policy",
        });
      }
      return peers.find((peer) => peer.name === name) ?? managedContender(name, this.#managed);
    });
    this.#background = readBackground();
  }

  /** Replays one run under all policies at all windows that it fits. Throws invalid_params when it cannot be read. */
  async replay(text: string, name: string): Promise<RunReport> {
    const open = this.open(text, name);
    const replayed: Replayed[] = [];
    for (const { label, tokens } of open.windows) {
      for (const contender of this.#contenders) {
        const figures = await measureReplay(open.run, contender, tokens, open.unboundedCost);
        replayed.push({ window: label, windowTokens: tokens, policy: contender.name, figures });
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
    const windows: { label: string; tokens: number }[] = [];
    const skipped: { window: string; reason: Unfit }[] = [];
    for (const { label, tokensOf } of this.#windows) {
      const tokens = tokensOf(run.tokens);
      const unfit = unfitWindow(tokens, { tokens: run.tokens, pinned: run.pinnedTokens }) ?? tooFewNeeds(run, tokens);
      if (unfit === null) windows.push({ label, tokens });
      else skipped.push({ window: label, reason: unfit });
    }
    return { run, windows, skipped, unboundedCost: unboundedCost(run) };
  }

  /**
   * Replays an open run with settings of a session over those of the config, at all windows that it fits. Any number of
   * replays of one run keep no more than the run itself in memory. Throws invalid_params for settings that do not fit.
   *
   * @param name what the outcome is called.
   */
  async replayWith(open: OpenRun, name: string, settings: JsonObject): Promise<Replayed[]> {
    const contender = managedContender(name, this.#managed, settings);
    const run = { ...open.run, readings: open.run.readings.branch() };
    const replayed: Replayed[] = [];
    for (const { label, tokens } of open.windows) {
      const figures = await measureReplay(run, contender, tokens, open.unboundedCost);
      replayed.push({ window: label, windowTokens: tokens, policy: name, figures });
    }
    return replayed;
  }

  get #services() {
    return { counter: this.#counter, catalogue: this.#catalogue };
  }
}

/** What is told of a run and its replays. */
export function reportOfRun({ run, skipped }: OpenRun, replayed: readonly Replayed[]): RunReport {
  const { id, family, task, promptKey } = run.recorded;
  return { id, family, task, promptKey, turns: run.needs.turns.length, tokens: run.tokens, replayed, skipped };
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
