import { builtIn } from "../../src/built-in.ts";
import { type Config, loadConfig, NO_SOURCES, resolveSettings } from "../../src/config/index.ts";
import { scorers } from "../../src/eviction/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { schemasFor } from "../../src/open-config.ts";
import { mulberry32 } from "../../src/replay/mulberry32.ts";
import {
  dimensions,
  type Evaluate,
  evictingPolicies,
  Interrupted,
  Space,
  type Trial,
  type TrialFigures,
  type TuneRun,
} from "../../src/tune/index.ts";

export const SCHEMAS = schemasFor(builtIn);
export const CONFIG: Config = loadConfig(NO_SOURCES, SCHEMAS);

/** Runs of tasks of their own, in families by turns. */
export function someRuns(count: number, families: readonly string[] = ["a", "b"]): TuneRun[] {
  return Array.from({ length: count }, (_, at) => {
    const family = families[at % families.length] as string;
    return { path: `runs/${at}.jsonl`, family, task: `${family}:${at}` };
  });
}

export function figures(line: number, cost: number): TrialFigures {
  return { line, far: line, grounded: line, cost };
}

export function trial(run: TuneRun, line: number, cost = 0.5, window = "25%"): Trial {
  return { run, window, figures: figures(line, cost) };
}

/** A number of a run alone, -1 to 1: what makes runs differ. */
export function luckOf({ path }: TuneRun): number {
  return 2 * mulberry32([...path].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) | 0, 7))() - 1;
}

/** Runs replayed by a formula; notes what was asked for. */
export function formula(lineOf: (settings: JsonObject, run: TuneRun) => number, mostAsked = Number.POSITIVE_INFINITY) {
  const asked: { readonly settings: JsonObject; readonly path: string }[] = [];
  const evaluate: Evaluate = async (settings, runs, isOver) => {
    return runs.map((run) => {
      if (isOver() || asked.length >= mostAsked) throw new Interrupted();
      asked.push({ settings, path: run.path });
      return trial(run, lineOf(settings, run));
    });
  };
  return { asked, evaluate };
}

/** The space of all settings, or of some. */
export function spaceOf(seed: number, paths: readonly string[] = [], config: Config = CONFIG): Space {
  const all = dimensions(["hybrid", "fifo", "lru", "drop_oldest"], evictingPolicies(scorers));
  return new Space(paths.length === 0 ? all : all.filter(({ path }) => paths.includes(path)), {
    resolve: (own) => resolveSettings(config, config.profile, own),
    random: mulberry32(seed),
  });
}
