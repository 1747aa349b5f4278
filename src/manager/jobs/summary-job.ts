import type { SummarySections } from "../../compression/index.ts";
import { contentHash } from "../../model/content-hash.ts";
import { textOf } from "../../model/part.ts";
import { type Passage, passageOf } from "../../model/passage.ts";
import type { Hook } from "../hook.ts";
import { taskOf } from "../passes/fidelity.ts";
import { asksModel, factsLimit, standingSections } from "../passes/history-summary.ts";
import { type PassDemand, planPass } from "../passes/pass-plan.ts";
import { type Session, type SummaryJob, TOOLS_MESSAGE_ID } from "../session.ts";
import { type ResultTexts, takeResults } from "./result-texts.ts";

/** Turns for which passes below red are put off for one summary: what takes longer is not coming. */
const MOST_TURNS_WAITED = 30;
/** Tokens of facts below which a model is not asked: an extract fills them as well. */
const LEAST_FACTS = 64;

/** Work for a model that a call leaves behind. */
export interface SummaryTask {
  readonly jobId: string;
  /** What the summariser is given, as the session stands when the call is committed. Costs what the context holds. */
  request(): SummaryRequest;
}

/** What a summariser is given: a snapshot, so that the session may go on meanwhile. */
export type SummaryRequest = HistoryRequest | ResultsRequest;

interface CommonRequest {
  readonly jobId: string;
  readonly goal: string | null;
  readonly settings: Hook["services"]["settings"];
  count(text: string): number;
}

/** A summary of what is to be dropped. */
export interface HistoryRequest extends CommonRequest {
  readonly kind: "history";
  readonly passages: readonly Passage[];
  /** The summary that it goes on from; null: there is none yet. */
  readonly previous: SummarySections | null;
  readonly constraints: readonly string[];
  /** What the context goes on showing. */
  readonly staying: readonly string[];
  /** Tokens that the summary may take. */
  readonly limitTokens: number;
}

/** A shorter text for each of some tool results. */
export interface ResultsRequest extends CommonRequest {
  readonly kind: "results";
  readonly results: readonly AskedResult[];
}

interface AskedResult {
  readonly passage: Passage;
  /** Address of what the block holds: the text is of use as long as it holds that. */
  readonly partHash: string;
  /** Tokens that the text may take. */
  readonly limitTokens: number;
}

/** How it ended. */
export type SummaryOutcome =
  | {
      readonly kind: "prepared";
      readonly text: string;
      readonly model: string;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
      readonly seconds: number;
      readonly fidelity: number | null;
    }
  | ResultTexts
  | { readonly kind: "failed"; readonly reason: string };

/** Makes summaries off the hot path; the manager's way to a model. */
export interface Summaries {
  /** False while there is no use in asking: nothing is configured, or the model has failed too often. */
  available(): boolean;
  /** Begins unless it is under way, and delivers once. Never throws. */
  start(session: string, request: SummaryRequest, deliver: (outcome: SummaryOutcome) => Promise<void>): void;
  /** Gives up what is under way for the session, but for that job: its end is of no use any more. Never throws. */
  keep(session: string, jobId: string | null): void;
  /** The end of what is under way; null where nothing is. Never rejects. */
  outcome(session: string, jobId: string): Promise<SummaryOutcome> | null;
}

/**
 * Whether the pass is to wait for a model's summary of what it would drop. Asks for one where there is none; a pass waits
 * for it as long as it runs and its inputs stand, and for no more than one: where a model failed, it goes without.
 */
export function awaitsSummary(hook: Hook, demand: PassDemand): boolean {
  const { session, services } = hook;
  dropStale(hook);
  const { job } = session;
  if (job === null || job.kind === "results")
    return services.summariesAvailable && asksModel(services) && begin(hook, demand);
  if (job.status !== "running" || !services.summariesAvailable || !asksModel(services)) return false;
  if (session.turn - job.turn > MOST_TURNS_WAITED) return false;
  // After a restart nobody works on it any more: asking again is free where somebody does.
  ask(hook, job);
  return true;
}

/** Asks for a summary ahead of the pass that it is for. */
export function prepareSummary(hook: Hook, demand: PassDemand): void {
  const { session, services } = hook;
  dropStale(hook);
  if (session.job === null && services.summariesAvailable && asksModel(services)) begin(hook, demand);
}

/** Gives up the job whose inputs have changed. */
export function dropStale(hook: Hook): void {
  const { job } = hook.session;
  if (!job || inputsOf(hook.session, job.kind, job.blockIds) === job.inputs) return;
  hook.emit("summary.dropped", { job_id: job.id, reason: "inputs_changed" });
}

/** Takes in how a job ended. A job that is not the session's running one is of the past: nothing happens. */
export function takeOutcome(hook: Hook, jobId: string, outcome: SummaryOutcome): boolean {
  const { job } = hook.session;
  if (job?.id !== jobId || job.status !== "running") return false;
  if (outcome.kind === "failed") {
    hook.emit("summary.failed", { job_id: jobId, reason: outcome.reason });
    return true;
  }
  if (outcome.kind === "results") {
    takeResults(hook, jobId, outcome);
    return true;
  }
  hook.emit("summary.prepared", {
    job_id: jobId,
    text: outcome.text,
    tokens: hook.services.countText(outcome.text),
    model: outcome.model,
    input_tokens: outcome.inputTokens,
    output_tokens: outcome.outputTokens,
    seconds: outcome.seconds,
    fidelity: outcome.fidelity,
  });
  return true;
}

/** Asks for a summary of what the pass would drop; false where that is too little to ask a model for. */
function begin(hook: Hook, demand: PassDemand): boolean {
  const { session, services } = hook;
  if (factsLimit(hook) < LEAST_FACTS) return false;
  const dropped = planPass(hook, demand).edits.filter(({ method }) => method === "drop");
  if (dropped.length < services.settings.compaction.least_units) return false;
  const ids = dropped.flatMap(({ blockIds }) => blockIds);
  const blockIds = ids.sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
  // What a pass would wait for comes before what it would not: a session has one job at a time.
  if (session.job !== null) hook.emit("summary.dropped", { job_id: session.job.id, reason: "superseded" });
  hook.emit("compaction.started", {
    job_id: `j${session.jobs + 1}`,
    kind: "history",
    block_ids: blockIds,
    inputs: inputsOf(session, "history", blockIds) ?? "",
    units: dropped.length,
    tokens: dropped.reduce((sum, edit) => sum + edit.tokensBefore, 0),
    turn: session.turn,
  });
  ask(hook, session.job as SummaryJob);
  return true;
}

function ask(hook: Hook, job: SummaryJob): void {
  hook.effects.push({ jobId: job.id, request: () => requestOf(hook, job) });
}

function requestOf(hook: Hook, job: SummaryJob): HistoryRequest {
  const { session, services } = hook;
  const going = new Set(job.blockIds);
  return {
    kind: "history",
    jobId: job.id,
    passages: job.blockIds.flatMap((id) => {
      const block = session.blocks.get(id);
      return block ? [passageOf(block)] : [];
    }),
    previous: standingSections(session),
    goal: session.taskState.goal,
    constraints: taskOf(session).constraints,
    staying: [...session.blocks.values()].flatMap(({ id, part, messageId }) =>
      going.has(id) || messageId === TOOLS_MESSAGE_ID ? [] : [textOf(part)],
    ),
    limitTokens: factsLimit(hook),
    settings: services.settings,
    count: (text) => services.countText(text),
  };
}

/** Hash of what the blocks hold and of the summary that history goes on from; null when one of them has gone. */
export function inputsOf(session: Session, kind: SummaryJob["kind"], blockIds: readonly string[]): string | null {
  const hashes = kind === "results" ? [] : [String(session.summary?.generation ?? 0)];
  for (const id of blockIds) {
    const block = session.blocks.get(id);
    if (!block || block.pinned) return null;
    hashes.push(`${id} ${block.partHash}`);
  }
  return contentHash(hashes.join("\n"));
}
