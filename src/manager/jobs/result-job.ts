import { EVICTION, type WantedText } from "../../compression/index.ts";
import type { Block } from "../../model/block.ts";
import { passageOf } from "../../model/passage.ts";
import type { Hook, Services } from "../hook.ts";
import { currentTokens } from "../measure.ts";
import { taskOf } from "../passes/fidelity.ts";
import { asksModel } from "../passes/history-summary.ts";
import { evictionContext, type PassDemand, planPass } from "../passes/pass-plan.ts";
import type { Session, SummaryJob } from "../session.ts";
import { dropStale, inputsOf } from "./summary-job.ts";

/** Results that a model is asked for at a time. */
const MOST_RESULTS = 8;
/** Turns after which a job is given up: what takes longer is not coming. */
const MOST_TURNS = 30;

/**
 * Asks a model for shorter texts of the results that a pass would shorten before it evicts. Nothing waits for them:
 * without them results are shortened by what they are.
 */
export function prepareResults(hook: Hook, demand: PassDemand): void {
  const { session, services } = hook;
  dropStale(hook);
  if (!services.summariesAvailable || !asksModel(services)) return;
  const { job } = session;
  if (job !== null) {
    if (job.kind !== "results" || job.status !== "running") return;
    // After a restart nobody works on it any more: asking again is free where somebody does.
    if (session.turn - job.turn <= MOST_TURNS) ask(hook, job);
    else hook.emit("summary.dropped", { job_id: job.id, reason: "overdue" });
    return;
  }
  const blocks = wantedSoon(hook, demand).map(({ block }) => block);
  if (blocks.length === 0) return;
  const blockIds = blocks.map(({ id }) => id);
  hook.emit("compaction.started", {
    job_id: `j${session.jobs + 1}`,
    kind: "results",
    block_ids: blockIds,
    inputs: inputsOf(session, "results", blockIds) ?? "",
    units: new Set(blocks.map(({ unitId }) => unitId)).size,
    tokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0),
    turn: session.turn,
  });
  ask(hook, session.job as SummaryJob);
}

/** What a pass would shorten by texts before it evicts, as far as that frees enough; without what it drops whole. */
function wantedSoon(hook: Hook, demand: PassDemand): readonly WantedText[] {
  const { session, services } = hook;
  const method = shortenerBeforeEviction(services, demand.level);
  if (!method?.textsWanted) return [];
  const { turn, units, protection } = evictionContext(hook, demand.protection);
  const view = { turn, units, planned: new Map(), isProtected: ({ id }: Block) => protection.ruleOf(id) !== null };
  const wanted = method.textsWanted(view);
  if (wanted.every(({ block }) => isAsked(session, block))) return [];
  const leaving = new Set(
    planPass(hook, demand).edits.flatMap((edit) => (edit.method === "drop" ? edit.blockIds : [])),
  );
  const soon: WantedText[] = [];
  let left = currentTokens(session, services).tokens - demand.targetTokens;
  for (const each of wanted) {
    if (left <= 0 || soon.length === MOST_RESULTS) break;
    if (leaving.has(each.block.id)) continue;
    left -= each.block.tokens * services.calibration;
    if (!isAsked(session, each.block)) soon.push(each);
  }
  return soon;
}

/** The step that uses texts, where it comes before eviction and at that pressure; a unit that leaves whole needs none. */
function shortenerBeforeEviction({ cascade, scorer }: Services, level: number) {
  if (scorer.actions.length === 0) return undefined;
  for (const { threshold, method } of cascade) {
    if (method === EVICTION || threshold > level) return undefined;
    if (method.textsWanted) return method;
  }
  return undefined;
}

/** Whether a model was asked for what the block holds now: what it gave no text for is not asked for again. */
function isAsked({ preparedTexts }: Session, { id, partHash }: Block): boolean {
  return preparedTexts[id]?.partHash === partHash;
}

function ask(hook: Hook, job: SummaryJob): void {
  hook.effects.push({
    jobId: job.id,
    request: () => {
      const { session, services } = hook;
      const limits = new Map(limitsOf(hook).map(({ block, limitTokens }) => [block.id, limitTokens]));
      return {
        kind: "results",
        jobId: job.id,
        results: job.blockIds.flatMap((id) => {
          const block = session.blocks.get(id);
          const limitTokens = limits.get(id);
          return block && limitTokens ? [{ passage: passageOf(block), partHash: block.partHash, limitTokens }] : [];
        }),
        goal: taskOf(session).goal,
        settings: services.settings,
        count: (text) => services.countText(text),
      };
    },
  });
}

function limitsOf({ session, services }: Hook): readonly WantedText[] {
  const method = shortenerBeforeEviction(services, 1);
  const units = [...session.units.values()];
  return method?.textsWanted?.({ turn: session.turn, units, planned: new Map(), isProtected: () => false }) ?? [];
}
