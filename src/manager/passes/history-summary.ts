import {
  emptySections,
  extractiveSummary,
  hasNoFacts,
  parseSummary,
  renderSummary,
  type SummaryFacts,
  type SummarySections,
  sectionsOfText,
  summaryText,
} from "../../compression/index.ts";
import { textOf } from "../../model/part.ts";
import type { Passage } from "../../model/passage.ts";
import type { Hook, Services } from "../hook.ts";
import type { ManagedMessage, Session } from "../session.ts";
import { addOwnMessage, BLANK_MARK, markOf, tokensOfMessage, tokensOfText } from "./own-message.ts";

/** Tokens that the two marks of a text may take beyond two blank ones: a token a digit at most. */
const MARKS_BEYOND_BLANK = 8;

/** Who wrote a summary. */
export type Summarizer = "llm" | "extractive";

/** What a pass took out, as far as the summary is to tell of it. */
export interface Dropped {
  /** Of all units that were dropped. */
  readonly passages: readonly Passage[];
  /** A model's summary of some of them, and of all that the summary told before; null: there is none. */
  readonly prepared: {
    readonly jobId: string;
    readonly blockIds: readonly string[];
    readonly sections: SummarySections;
  } | null;
}

/** Whether passes summarise what they drop: as configured, or with policies that free in batches. */
export function summarises({ settings, scorer }: Pick<Services, "settings" | "scorer">): boolean {
  const { summarizer } = settings.compaction;
  if (summarizer === "none" || scorer.actions.length === 0) return false;
  return summarizer !== "auto" || scorer.depth === "target";
}

/** Whether summaries are a model's to write, where one can be asked. */
export function asksModel(services: Pick<Services, "settings" | "scorer">): boolean {
  return services.settings.compaction.summarizer !== "extractive" && summarises(services);
}

/** Tokens that the summary may take, uncalibrated; 0 where passes write none. */
export function summaryLimit({ session, services }: Hook): number {
  if (!summarises(services)) return 0;
  const { summary_share, summary_max_tokens } = services.settings.compaction;
  return Math.min(summary_max_tokens, Math.floor((summary_share * session.maxTokens) / services.calibration));
}

/** Tokens that the facts of a summary may take, uncalibrated: its limit without its frame; may be below 0. */
export function factsLimit(hook: Hook): number {
  return summaryLimit(hook) - frameTokens(hook, { generation: 1, summarizer: "llm" });
}

/** Tokens of the message beside its facts, at most. */
function frameTokens(hook: Hook, facts: SummaryFacts): number {
  return tokensOfText(hook, summaryText(emptySections(), BLANK_MARK, facts)) + MARKS_BEYOND_BLANK;
}

/** The message that holds the summary; undefined where there is none. */
export function summaryMessage(session: Session): ManagedMessage | undefined {
  return session.messageById.get(session.summary?.messageId ?? "");
}

/** What the summary tells, or would tell if there were room; null where nothing has been summarised. */
export function standingSections(session: Session): SummarySections | null {
  const block = summaryMessage(session)?.blocks[0];
  const { held = null } = session.summary ?? {};
  if (!block) return held === null ? null : parseSummary(held);
  return sectionsOfText(textOf(block.part));
}

/**
 * Folds what was dropped into the summary and puts it in the place of the one that stood there, behind `after`.
 * `limit`: uncalibrated tokens of the whole message; where they do not hold a summary at all, it goes from the context,
 * and is held until there is room again.
 */
export function rewriteSummary(
  hook: Hook,
  passId: string,
  dropped: Dropped,
  limit: number,
  after: string | null,
): void {
  const { session } = hook;
  const before = summaryMessage(session);
  const facts: SummaryFacts = {
    generation: (session.summary?.generation ?? 0) + 1,
    summarizer: dropped.prepared ? "llm" : "extractive",
  };
  const { sections, text } = withinTokens(hook, dropped, facts, limit);
  const held = hasNoFacts(sections) ? heldSections(hook, dropped) : null;
  if (hasNoFacts(sections) && !before && held === (session.summary?.held ?? null)) return;
  const rawBefore = session.rawTokens;
  const tokensBefore = tokensOfMessage(before);
  const items = Object.values(sections).flat();
  const messageId = hasNoFacts(sections) ? null : addOwnMessage(hook, text, "summary", after);
  const added = session.rawTokens - rawBefore;
  hook.emit("summary.rewritten", {
    pass_id: passId,
    message_id: messageId,
    removed_message_id: before?.id ?? null,
    held,
    ...facts,
    passages: dropped.passages.length,
    facts: items.length,
    tokens_before: tokensBefore,
    tokens_after: added,
    tokens_added: added,
  });
}

/** The summary as it would stand if there were room, as text; null where there is nothing to tell. */
function heldSections(hook: Hook, dropped: Dropped): string | null {
  const sections = folded(hook, dropped, factsLimit(hook));
  return hasNoFacts(sections) ? null : renderSummary(sections);
}

/** The summary with what was dropped, and its text. Tokens are not additive at the seams: what is too much then goes. */
function withinTokens(hook: Hook, dropped: Dropped, facts: SummaryFacts, limit: number) {
  let room = limit - frameTokens(hook, facts);
  for (;;) {
    const sections = folded(hook, dropped, room);
    const text = summaryText(sections, markOf(hook.session, Object.values(sections).flat().join("\n")), facts);
    const excess = tokensOfText(hook, text) - limit;
    if (excess <= 0 || hasNoFacts(sections)) return { sections, text };
    room -= excess;
  }
}

/**
 * The summary with what was dropped, within so many tokens. Goal and constraints stand elsewhere, in the user's
 * words.
 */
function folded({ session, services }: Hook, { passages, prepared }: Dropped, limitTokens: number): SummarySections {
  if (limitTokens <= 0) return emptySections();
  const told = new Set(prepared?.blockIds);
  // Nor are they a model's to say: what is never cut could be of any length, and pass for the task.
  const written = prepared && { ...prepared.sections, goal: [], constraints: [] };
  return extractiveSummary({
    previous: written ?? standingSections(session),
    passages: passages.filter(({ blockId }) => !told.has(blockId)),
    goal: null,
    constraints: [],
    limitTokens,
    count: (text) => services.countText(text),
  });
}
