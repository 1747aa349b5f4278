import { type Estimate, estimate, type Sample } from "./bootstrap.ts";
import { grouped } from "./grouping.ts";
import type { Figures } from "./measure.ts";
import type { Replayed, ReplayOptions, RunReport } from "./replay.ts";

/** A run that could not be replayed. */
export interface Failure {
  readonly path: string;
  readonly reason: string;
  readonly message: string;
}

/** What `contextd replay --json` prints. */
export interface ReplayReport {
  readonly policies: readonly string[];
  readonly windows: readonly string[];
  readonly count: string;
  /** Whose cache prices the break-even gate reckoned with; null: the ratios of the cost measure. */
  readonly model: string | null;
  readonly format: string;
  readonly runs: number;
  readonly tasks: number;
  readonly results: readonly PolicyResult[];
  readonly skipped: readonly { readonly window: string; readonly reason: string; readonly runs: number }[];
  readonly failures: readonly Failure[];
  readonly replays: readonly object[];
}

/** One policy at one window: means over its runs, the recalls and the cost with a 95 % interval. */
export interface PolicyResult {
  readonly window: string;
  readonly policy: string;
  readonly runs: number;
  readonly line: Estimate | null;
  readonly value: Estimate | null;
  readonly far: Estimate | null;
  readonly grounded: Estimate | null;
  readonly cost: Estimate | null;
  /** Tokens in the common prefix with the request before, of all tokens sent. */
  readonly prefix_hit_share: number;
  /** Sums over the runs. */
  readonly tokens_sent: number;
  readonly prefix_hit_tokens: number;
  readonly edited_requests: number;
  readonly edits: number;
  /** Most tokens of a request over the window: the largest of the runs. */
  readonly peak: number;
  readonly families: Readonly<Record<string, FamilyResult>>;
  /** Against the first policy, on the runs that both have; null of that policy itself. */
  readonly difference: {
    readonly to: string;
    readonly line: Estimate | null;
    readonly grounded: Estimate | null;
    readonly cost: Estimate | null;
  } | null;
}

export interface FamilyResult {
  readonly runs: number;
  readonly line: number | null;
  readonly far: number | null;
  readonly grounded: number | null;
  readonly cost: number | null;
}

type Share = "line" | "value" | "far" | "grounded" | "cost";

interface Row extends Replayed {
  readonly run: RunReport;
  readonly task: string;
}

/** Sums up the replays of many runs. */
export function reportOf(
  options: ReplayOptions,
  runs: readonly RunReport[],
  failures: readonly Failure[],
): ReplayReport {
  const taskOf = taskNames(runs);
  const rows = runs.flatMap((run) => run.replayed.map((one) => ({ ...one, run, task: taskOf(run) })));
  const results = options.windows.flatMap((window) =>
    options.policies.map((policy) => resultOf(rows, window, policy, options.policies[0] as string)),
  );
  return {
    policies: options.policies,
    windows: options.windows,
    count: options.count,
    model: options.model,
    format: options.format ?? "as recorded",
    runs: runs.length,
    tasks: new Set(runs.map(taskOf)).size,
    results: results.filter((result) => result.runs > 0),
    skipped: skippedRuns(runs),
    failures,
    replays: rows.map(wireRow),
  };
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

function resultOf(rows: readonly Row[], window: string, policy: string, reference: string): PolicyResult {
  const own = rows.filter((row) => row.window === window && row.policy === policy);
  const sum = (figure: (figures: Figures) => number) => own.reduce((total, { figures }) => total + figure(figures), 0);
  const tokensSent = sum(({ tokensSent }) => tokensSent);
  const prefixHits = sum(({ prefixHits }) => prefixHits);
  const mean = (share: Share) => estimate(samplesOf(own, share));
  return {
    window,
    policy,
    runs: own.length,
    line: mean("line"),
    value: mean("value"),
    far: mean("far"),
    grounded: mean("grounded"),
    cost: mean("cost"),
    prefix_hit_share: tokensSent === 0 ? 0 : prefixHits / tokensSent,
    tokens_sent: tokensSent,
    prefix_hit_tokens: prefixHits,
    edited_requests: sum(({ editedRequests }) => editedRequests),
    edits: sum(({ edits }) => edits),
    peak: Math.max(0, ...own.map(({ figures }) => figures.peak)),
    families: familiesOf(own),
    difference: policy === reference ? null : differenceTo(reference, rows, own),
  };
}

function samplesOf(rows: readonly Row[], share: Share): Sample[] {
  return rows.flatMap(({ task, figures }) => {
    const value = figures[share];
    return value === null ? [] : [{ task, value }];
  });
}

function familiesOf(rows: readonly Row[]): Record<string, FamilyResult> {
  const families = grouped(rows, ({ run }) => run.family);
  return Object.fromEntries(
    [...families].map(([family, own]): [string, FamilyResult] => {
      const mean = (share: Share) => estimate(samplesOf(own, share))?.mean ?? null;
      return [
        family,
        { runs: own.length, line: mean("line"), far: mean("far"), grounded: mean("grounded"), cost: mean("cost") },
      ];
    }),
  );
}

function differenceTo(reference: string, rows: readonly Row[], own: readonly Row[]): PolicyResult["difference"] {
  const others = new Map(
    rows.filter(({ policy }) => policy === reference).map((row) => [`${row.window} ${row.run.id}`, row]),
  );
  const differences = (share: Share) =>
    estimate(
      own.flatMap(({ window, run, task, figures }) => {
        const mine = figures[share];
        const theirs = others.get(`${window} ${run.id}`)?.figures[share] ?? null;
        return mine === null || theirs === null ? [] : [{ task, value: mine - theirs }];
      }),
    );
  return {
    to: reference,
    line: differences("line"),
    grounded: differences("grounded"),
    cost: differences("cost"),
  };
}

function skippedRuns(runs: readonly RunReport[]): ReplayReport["skipped"] {
  const counts = grouped(
    runs.flatMap(({ skipped }) => skipped),
    ({ window, reason }) => `${window} ${reason}`,
  );
  return [...counts.values()].flatMap((same) => (same[0] ? [{ ...same[0], runs: same.length }] : []));
}

function wireRow({ run, task, window, windowTokens, policy, figures }: Row): object {
  return {
    id: run.id,
    family: run.family,
    task,
    turns: run.turns,
    run_tokens: run.tokens,
    window,
    window_tokens: windowTokens,
    policy,
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
  };
}
