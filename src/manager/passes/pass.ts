import { EVICTION, parseSummary } from "../../compression/index.ts";
import type { EventData } from "../../model/events.ts";
import { type Passage, passageOf } from "../../model/passage.ts";
import type { Hook } from "../hook.ts";
import { dropStale } from "../jobs/summary-job.ts";
import { currentTokens } from "../measure.ts";
import type { Session } from "../session.ts";
import { bootstrapForm } from "../windows/bootstrap.ts";
import { carryOver, mustShrinkCarried } from "./carry-over.ts";
import { applyEdit, type PassEdit } from "./edit.ts";
import { judgePass } from "./fidelity.ts";
import type { Dropped } from "./history-summary.ts";
import { type PassDemand, type PlannedPass, planPass } from "./pass-plan.ts";
import type { StandingForm } from "./standing.ts";

/** Plans and makes one pass: one decision, one `pass_id`, one break of the provider's prefix. Answers the tokens freed. */
export function runPass(hook: Hook, demand: PassDemand): number {
  const { session, services } = hook;
  const before = currentTokens(session, services).tokens;
  if (before <= demand.targetTokens) return 0;
  const plan = planPass(hook, demand);
  if (plan.edits.length === 0 && !(demand.forced && mustShrinkCarried(hook, demand))) {
    hook.emit("compaction.skipped", { reason: whyNothing(plan), gate: plan.gate });
    return 0;
  }
  return makePass(hook, demand, plan);
}

/**
 * Makes a pass as it was planned; answers the tokens freed. `standing`: what is written in the standing message's place,
 * where it is not the one in force.
 */
export function makePass(
  hook: Hook,
  demand: PassDemand,
  plan: Pick<PlannedPass, "edits" | "steps" | "gate" | "shallower" | "considered">,
  standing: StandingForm | undefined = formInForce(hook.session),
): number {
  const { session, services } = hook;
  const before = currentTokens(session, services).tokens;
  const messagesBefore = session.messages.length;
  const passId = `p${session.nextPass}`;
  const dropped = droppedBy(hook, plan.edits);
  for (const edit of plan.edits) applyEdit(hook, passId, edit);
  carryOver(hook, passId, demand, dropped, standing);
  const after = currentTokens(session, services).tokens;
  const summarizer = summarizerOf(hook, passId);
  const jobId = summarizer === "llm" ? (dropped.prepared?.jobId ?? null) : null;
  judgePass(hook, passId, dropped.passages, summarizer);
  hook.emit("history.compacted", {
    pass_id: passId,
    strategy: strategyOf(plan),
    summarizer,
    cause: demand.cause,
    messages_before: messagesBefore,
    messages_after: session.messages.filter((message) => !message.gone).length,
    tokens_before: before,
    tokens_after: after,
    target_tokens: demand.targetTokens,
    edits: new Set(plan.edits.flatMap(({ blockIds }) => blockIds)).size,
    considered_blocks: plan.considered.blocks,
    considered_tokens: plan.considered.tokens,
    generation: session.nextPass,
    job_id: jobId,
    waited_ms: hook.waitedMs,
    gate: plan.gate,
    shallower: plan.shallower,
  });
  dropStale(hook);
  return before - after;
}

/** In the turn in which a window was opened its bootstrap stays, whatever else has to go. Undefined: the ordinary text. */
function formInForce({ turn, windowNumber, windowOpened }: Session): StandingForm | undefined {
  const isNew = windowOpened.cause !== "session" && windowOpened.turn === turn;
  return isNew ? bootstrapForm(windowOpened.cause, windowNumber) : undefined;
}

/**
 * Why a plan has no edits: they do not pay, or as eviction says; where it was not its turn, because the others found nothing, or because the
 * pressure is below every step's threshold.
 */
function whyNothing({ steps, refused }: PlannedPass): string {
  const reason = refused ?? steps.find(({ method }) => method === EVICTION)?.reason;
  if (reason) return reason;
  return steps.every(({ outcome }) => outcome === "below_threshold") ? "below_threshold" : "nothing_saved";
}

/** Who summarised what the pass dropped: a summary that was only made shorter tells nothing of it. */
function summarizerOf({ events, session }: Hook, passId: string): EventData["history.compacted"]["summarizer"] {
  const written = events.findLast((event) => event.type === "summary.rewritten")?.data;
  if (written?.pass_id !== passId || written.passages === 0 || session.summary?.messageId === null) return "none";
  return written.summarizer;
}

/** What was applied, in its order; `ledger` where nothing but what is carried over changed. */
function strategyOf({ steps }: Pick<PlannedPass, "steps">): string {
  const applied = steps.filter((step) => step.outcome === "applied");
  return applied.length === 0 ? "ledger" : applied.map((step) => step.method).join("+");
}

/** What the edits take out whole, as it stands before them. */
function droppedBy({ session }: Hook, edits: readonly PassEdit[]): Dropped {
  const passages: Passage[] = [];
  let isPrepared = false;
  for (const { method, blockIds, rule } of edits) {
    if (method !== "drop") continue;
    isPrepared ||= rule === "summary.prepared";
    for (const id of blockIds) {
      const block = session.blocks.get(id);
      if (block) passages.push(passageOf(block));
    }
  }
  passages.sort((a, b) => Number(a.blockId.slice(1)) - Number(b.blockId.slice(1)));
  const { job } = session;
  const sections = isPrepared && job?.text ? parseSummary(job.text) : null;
  return { passages, prepared: job && sections ? { jobId: job.id, blockIds: job.blockIds, sections } : null };
}
