import {
  buildProbes,
  type FoldVerdict,
  judgeFold,
  keptProbes,
  type Original,
  tellsShare,
  type Verdict,
} from "../../fidelity/index.ts";
import type { BlockType } from "../../model/block.ts";
import type { EventData } from "../../model/events.ts";
import { textOf } from "../../model/part.ts";
import type { Passage } from "../../model/passage.ts";
import type { Probe } from "../../model/probe.ts";
import type { Hook } from "../hook.ts";
import { type Session, TOOLS_MESSAGE_ID } from "../session.ts";

type Evaluated = EventData["fidelity.evaluated"];

/** How a pass fares with the context as it is now. */
export interface PassJudgement extends FoldVerdict {
  readonly probes: readonly Probe[];
  readonly belowFloor: boolean;
}

/**
 * Asks the context as it is now for the facts of what a pass took out. Reads the session and changes nothing, so that a
 * pass may weigh a summary before it is kept. Null where fidelity is off, or where there was nothing to ask for.
 */
export function weighPass(hook: Hook, passages: readonly Passage[]): PassJudgement | null {
  const { fidelity } = hook.services.settings;
  if (!fidelity.enabled || passages.length === 0) return null;
  const probes = probesOf(hook, passages);
  if (probes.length === 0) return null;
  const fold = judgeFold(hook.session.fidelity.generations, probes, shownTexts(hook.session));
  return { ...fold, probes, belowFloor: fold.verdict.score < fidelity.floor };
}

/**
 * Weighs a pass at its end and tells what came of it: the score by type, and how much of what earlier passes were asked
 * for is still there. `passages`: what the pass took out, as it was before.
 */
export function judgePass(
  hook: Hook,
  passId: string,
  passages: readonly Passage[],
  summarizer: Evaluated["summarizer"],
): PassJudgement | null {
  const judgement = weighPass(hook, passages);
  if (judgement === null) return null;
  const { generation, curve, verdict, probes } = judgement;
  const kept_probes = keptProbes(probes);
  tell(hook, { pass_id: passId, judge: "lexical", summarizer, generation, curve, kept_probes, verdict });
  return judgement;
}

/** Tells what a model said of a pass that the lexical judge has judged before. */
export function tellJudgement(
  hook: Hook,
  given: Pick<Evaluated, "pass_id" | "summarizer" | "generation"> & { readonly verdict: Verdict },
): void {
  tell(hook, { ...given, judge: "llm", curve: [], kept_probes: [] });
}

/** Whether a shorter text in the place of a passage still tells enough of what it is asked: the floor of the settings. */
export function tellsEnough({ services }: Pick<Hook, "services">, passage: Passage, text: string): boolean {
  const { enabled, floor, probes_per_type: perType } = services.settings.fidelity;
  return !enabled || tellsShare(passage, text, floor, perType);
}

/** What a session's passes are held to, of these passages. */
export function probesOf(hook: Hook, passages: readonly Passage[]): Probe[] {
  const { session, services } = hook;
  return buildProbes({ ...taskOf(session), passages }, { perType: services.settings.fidelity.probes_per_type });
}

/** The task as it is known now; without a goal, what the user asked first stands for it. */
export function taskOf(session: Session): Omit<Original, "passages"> {
  const { goal, constraints, success_criteria } = session.taskState;
  const rules = [...constraints, ...success_criteria];
  if (goal !== null) return { goal, constraints: rules };
  const first = session.messages.find(({ role, source, gone }) => role === "user" && source === "agent" && !gone);
  const asked = first?.blocks.map(({ part }) => textOf(part)).join("\n") ?? "";
  return { goal: asked === "" ? null : asked, constraints: rules };
}

/** Types that hold much in little come first: what they settle is not looked for in the rest. */
const DENSE: ReadonlySet<BlockType> = new Set(["summary", "note", "memory_injection"]);

/** What the context shows now, tool definitions apart. */
function shownTexts(session: Session): string[] {
  const blocks = [...session.blocks.values()].filter(({ messageId }) => messageId !== TOOLS_MESSAGE_ID);
  const dense = blocks.filter(({ type }) => DENSE.has(type));
  const rest = blocks.filter(({ type }) => !DENSE.has(type));
  return [...dense, ...rest].map(({ part }) => textOf(part));
}

function tell(
  hook: Hook,
  {
    verdict,
    ...given
  }: Omit<Evaluated, "score" | "by_type" | "probes" | "kept" | "floor" | "below_floor"> & { readonly verdict: Verdict },
): void {
  const { floor } = hook.services.settings.fidelity;
  hook.emit("fidelity.evaluated", {
    ...given,
    score: verdict.score,
    by_type: verdict.byType,
    probes: verdict.kept.length,
    kept: verdict.kept.filter(Boolean).length,
    floor,
    below_floor: verdict.score < floor,
  });
}
