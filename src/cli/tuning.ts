import { type Config, readBuiltInProfiles, resolveSettings } from "../config/index.ts";
import { scorers } from "../eviction/index.ts";
import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { openConfig } from "../open-config.ts";
import { mulberry32 } from "../replay/mulberry32.ts";
import type { ReplayOptions, ReplayParts } from "../replay/replay.ts";
import { dimensions, evictingPolicies, Interrupted, Space, type Tuned, tune, tuneReport } from "../tune/index.ts";
import { abortOnSignal } from "./abort-on-signal.ts";
import { configSources } from "./config-sources.ts";
import { ReplayThreads } from "./replay-threads.ts";
import { runFiles } from "./run-files.ts";
import { DEFAULT_BUDGET_MINUTES, DEFAULT_TUNE_WINDOWS, type TuneDependencies, type TuneFlags } from "./tune-flags.ts";
import { handOver } from "./tune-output.ts";
import { ProgressBar, ProgressLines } from "./tune-progress.ts";
import { evaluateOn, type SurveyedRuns, surveyRuns } from "./tune-runs.ts";
import { requireWritable } from "./written-file.ts";

interface Tuning {
  readonly paths: readonly string[];
  readonly flags: TuneFlags;
  /** As it was typed. */
  readonly command: string;
}

/** Does what `contextd tune` was asked to. What can be refused is refused before the work. */
export async function runTuning(
  { paths: given, flags, command }: Tuning,
  dependencies: TuneDependencies,
): Promise<void> {
  const { environment, builtIn } = dependencies;
  if (flags.out !== undefined) requireWritable(flags.out, { option: "out", overwrites: flags.force === true });
  const paths = runFiles(given);
  const sources = configSources(flags.config, environment);
  const parts = await openConfig(sources, builtIn);
  await requireFreeName(flags.name, { dependencies, sources });
  const random = mulberry32(flags.seed);
  const space = spaceOf(flags, parts, random);
  const options: ReplayOptions = {
    policies: [],
    windows: flags.window.length > 0 ? [...new Set(flags.window)] : DEFAULT_TUNE_WINDOWS,
    count: flags.count,
    model: flags.model ?? null,
    format: null,
  };
  const threads = new ReplayThreads({ options, sources, parts, most: paths.length });
  try {
    const work = { paths, flags, space, random, windows: options.windows };
    const { tuned, ...leftOut } = await tuneOn(threads, work, dependencies);
    const report = tuneReport(
      tuned,
      {
        objective: objectiveOf(flags),
        windows: options.windows,
        count: flags.count,
        seed: flags.seed,
        trainShare: flags.trainShare,
        searched: space.dimensions.map(({ path }) => path),
      },
      leftOut,
    );
    const { config } = parts;
    const base = config.profiles[config.profile] as JsonObject;
    handOver({ report, flags, base, command, runs: paths.length }, dependencies);
  } finally {
    await threads.close();
  }
}

interface Work {
  readonly paths: readonly string[];
  readonly flags: TuneFlags;
  readonly space: Space;
  readonly random: () => number;
  readonly windows: readonly string[];
}

/** Surveys and tunes, with a bar for people, until it is through or a signal ends it. */
async function tuneOn(
  threads: ReplayThreads,
  { paths, flags, space, random, windows }: Work,
  { process, stderr }: TuneDependencies,
): Promise<{ tuned: Tuned } & Pick<SurveyedRuns, "unfit" | "failures">> {
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  const trials = flags.trials ?? null;
  const budgetMs = trials === null ? (flags.budgetMinutes ?? DEFAULT_BUDGET_MINUTES) * 60_000 : null;
  const terms = { budgetMs, trials, elapsed };
  const progress = process.stderrIsTerminal ? new ProgressBar(terms) : new ProgressLines(terms, stderr);
  const stop = new AbortController();
  const isStopped = () => stop.signal.aborted;
  const release = abortOnSignal(process, stop);
  try {
    const { runs, failures, unfit } = await surveyRuns(threads, { paths, windows, isStopped });
    if (runs.length === 0) throw nothingFits(windows, unfit, failures);
    const tuned = await tune(
      { runs, objective: objectiveOf(flags), trainShare: flags.trainShare, budgetMs, trials },
      {
        space,
        random,
        evaluate: evaluateOn(threads, failures),
        elapsed,
        isStopped,
        onProgress: (state) => progress.update(state),
      },
    );
    return { tuned, unfit, failures };
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Error(
      isStopped()
        ? "stopped before anything was tried"
        : "the time was over before anything was tried: give more with --budget-minutes",
      { cause: error },
    );
  } finally {
    progress.stop();
    release();
  }
}

/** What may be searched: the settings that were asked for, or all. Throws invalid_params for those that are none. */
function spaceOf({ search, policy }: TuneFlags, { config, plugins }: ReplayParts, random: () => number): Space {
  const evicting = evictingPolicies({ ...scorers, ...plugins.scorers });
  const names = evicting.map(({ name }) => name);
  for (const name of policy) requireLegal(name, names, "policy that evicts");
  const all = dimensions(policy.length > 0 ? policy : names, evicting);
  const isUnder = (path: string, section: string) => path === section || path.startsWith(`${section}.`);
  for (const section of search) {
    if (all.some(({ path }) => isUnder(path, section))) continue;
    requireLegal(
      section,
      all.map(({ path }) => path),
      "setting that is searched",
    );
  }
  const searched =
    search.length === 0 ? all : all.filter(({ path }) => search.some((section) => isUnder(path, section)));
  return new Space(searched, { resolve: (own) => resolveSettings(config, config.profile, own), random });
}

function requireLegal(name: string, legal: readonly string[], what: string): void {
  if (legal.includes(name)) return;
  throw new ContextdError(
    "invalid_params",
    `There is no ${what} of the name ${name}; choose from ${legal.join(", ")}.`,
    {
      path: name,
      legal: [...legal],
    },
  );
}

/**
 * A profile's name must be legal, and none of the built-in ones: what is written under such a name would be amended by
 * settings that were not tried. Throws ConfigError or ContextdError.
 */
async function requireFreeName(
  name: string,
  { dependencies, sources }: { dependencies: TuneDependencies; sources: ReturnType<typeof configSources> },
): Promise<Config> {
  if (Object.hasOwn(readBuiltInProfiles(), name)) {
    throw new ContextdError("invalid_params", `${name} is a built-in profile: choose another --name.`, {
      path: "name",
    });
  }
  const flags = [{ flag: "--name", path: ["profiles", name], value: {} }];
  return (await openConfig({ ...sources, flags }, dependencies.builtIn)).config;
}

function nothingFits(windows: readonly string[], unfit: SurveyedRuns["unfit"], failures: SurveyedRuns["failures"]) {
  const reasons = [...unfit].map(([reason, count]) => `${count} x ${reason.replaceAll("_", " ")}`);
  const unread = failures.map(({ message }) => ` ${message}`).join("");
  return new ContextdError(
    "invalid_params",
    `No run fits ${windows.join(" or ")} (${reasons.join(", ") || "none could be read"}): give other runs or windows.${unread}`,
    { path: "window" },
  );
}

function objectiveOf({ objective, costPrice, maxCost, minRecall }: TuneFlags) {
  return { name: objective, costPrice, maxCost: maxCost ?? null, minRecall: minRecall ?? null };
}
