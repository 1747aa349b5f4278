import type { ZoneThresholds } from "../model/zone.ts";
import type { LostNeeds } from "./measure.ts";
import type { Missed, Regret } from "./regret.ts";
import type { Replayed, RunReport } from "./replay.ts";

/** One policy with one run at one window, and whose run it is. */
export interface ReplayRow extends Replayed {
  readonly run: RunReport;
  /** The run's task, within its family. */
  readonly task: string;
}

/** The same as it is printed: the figures are told in measure.ts, shares are null where nothing was to be had. */
export interface WireRow {
  readonly id: string;
  readonly family: string;
  readonly task: string;
  readonly turns: number;
  readonly run_tokens: number;
  readonly window: string;
  readonly window_tokens: number;
  readonly policy: string;
  /** The one that was best of several; null where the policy is one. */
  readonly variant: string | null;
  readonly needs: number;
  readonly need_weight: number;
  readonly line: number | null;
  readonly value: number | null;
  readonly far: number | null;
  readonly grounded: number | null;
  readonly cost: number;
  readonly requests: number;
  readonly tokens_sent: number;
  readonly prefix_hit_tokens: number;
  readonly edited_requests: number;
  readonly edits: number;
  readonly peak: number;
  readonly filled: number;
  readonly regret: WireRegret;
  readonly payback: WirePayback;
  readonly timeline: {
    /** Tokens of each request. */
    readonly tokens: readonly number[];
    /** Numbers of the requests that lost the provider's cache, from 0. */
    readonly breaks: readonly number[];
    /** Numbers of the requests before which the context was edited. */
    readonly edits: readonly number[];
    /** Requests that lacked needed lines, and how many. */
    readonly lost: readonly LostNeeds[];
    /** Tokens at which the zones begin. */
    readonly zones: ZoneThresholds;
  };
}

/** Needs missed within ten turns after their value had left the context. */
export interface WireRegret extends Missed {
  /** By the tool whose result held the value last, or the role of another message; the heaviest first. */
  readonly by_source: Readonly<Record<string, Missed>>;
}

/** Edits that broke the prefix: what they cost and what they saved until the next one, in fresh input tokens. */
export interface WirePayback {
  readonly breaks: number;
  readonly tokens_rewritten: number;
  readonly tokens_freed: number;
  readonly cost: number;
  readonly saving: number;
  /** saving / cost; null where no edit cost anything. */
  readonly ratio: number | null;
}

/** The replays of all runs, each with its task. */
export function rowsOf(runs: readonly RunReport[]): ReplayRow[] {
  const taskOf = taskNames(runs);
  return runs.flatMap((run) => run.replayed.map((one) => ({ ...one, run, task: taskOf(run) })));
}

type TaskOfRun = Pick<RunReport, "family" | "task" | "promptKey">;

/**
 * The task of each run, within its family. Records of a family that all name one task, or none, name a collection: there
 * what the user asked first tells tasks apart.
 */
export function taskNames(runs: readonly TaskOfRun[]): (run: TaskOfRun) => string {
  const named = new Map<string, Set<string | null>>();
  for (const { family, task } of runs) named.set(family, (named.get(family) ?? new Set()).add(task));
  return ({ family, task, promptKey }) =>
    `${family}:${task === null || named.get(family)?.size === 1 ? promptKey : task}`;
}

export function wireRow({ run, task, window, windowTokens, zones, policy, variant, figures }: ReplayRow): WireRow {
  return {
    id: run.id,
    family: run.family,
    task,
    turns: run.turns,
    run_tokens: run.tokens,
    window,
    window_tokens: windowTokens,
    policy,
    variant,
    needs: figures.needs,
    need_weight: figures.needWeight,
    line: figures.line,
    value: figures.value,
    far: figures.far,
    grounded: figures.grounded,
    cost: figures.cost,
    requests: figures.requests,
    tokens_sent: figures.tokensSent,
    prefix_hit_tokens: figures.prefixHits,
    edited_requests: figures.editedRequests,
    edits: figures.edits,
    peak: figures.peak,
    filled: figures.filled,
    regret: wireRegret([figures.regret]),
    payback: wirePayback([figures]),
    timeline: {
      tokens: figures.timeline,
      breaks: figures.breaks.map(({ turn }) => turn),
      edits: figures.editedAt,
      lost: figures.lost,
      zones,
    },
  };
}

/** The regret of several replays together. */
export function wireRegret(regrets: readonly Regret[]): WireRegret {
  const bySource = new Map<string, Missed>();
  for (const [source, own] of regrets.flatMap((regret) => [...regret.bySource])) {
    bySource.set(source, plus(bySource.get(source) ?? NOTHING, own));
  }
  const heaviest = [...bySource].sort(([, a], [, b]) => b.weight - a.weight);
  return {
    ...regrets.map(({ needs, weight }) => ({ needs, weight })).reduce(plus, NOTHING),
    by_source: Object.fromEntries(heaviest),
  };
}

const NOTHING: Missed = { needs: 0, weight: 0 };

function plus(a: Missed, b: Missed): Missed {
  return { needs: a.needs + b.needs, weight: a.weight + b.weight };
}

/** The payback of several replays together. */
export function wirePayback(replays: readonly Pick<Replayed["figures"], "payback">[]): WirePayback {
  const sum = (figure: keyof Replayed["figures"]["payback"]) =>
    replays.reduce((total, { payback }) => total + payback[figure], 0);
  const [cost, saving] = [sum("cost"), sum("saving")];
  return {
    breaks: sum("breaks"),
    tokens_rewritten: sum("tokensRewritten"),
    tokens_freed: sum("tokensFreed"),
    cost,
    saving,
    ratio: cost > 0 ? saving / cost : null,
  };
}
