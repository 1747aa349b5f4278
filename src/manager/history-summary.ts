import {
  extractiveSummary,
  foldSummary,
  type SummarySections,
  sectionsOfText,
  summaryText,
} from "../compression/index.ts";
import { textOf } from "../model/part.ts";
import type { Passage } from "../model/passage.ts";
import type { Hook, Services } from "./hook.ts";
import { addOwnMessage, BLANK_MARK, headOf, markOf, tokensOfMessage, tokensOfText } from "./own-message.ts";
import type { ManagedMessage, Session } from "./session.ts";

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

/** Tokens that the summary may take, uncalibrated; 0 where passes write none. */
export function summaryLimit({ session, services }: Hook): number {
  if (!summarises(services)) return 0;
  const { summary_share, summary_max_tokens } = services.settings.compaction;
  return Math.min(summary_max_tokens, Math.floor((summary_share * session.maxTokens) / services.calibration));
}

/** The message that holds the summary; undefined where there is none. */
export function summaryMessage(session: Session): ManagedMessage | undefined {
  return session.messageById.get(session.summary?.messageId ?? "");
}

/** What the summary tells; null where there is none. */
export function standingSections(session: Session): SummarySections | null {
  const block = summaryMessage(session)?.blocks[0];
  return block ? sectionsOfText(textOf(block.part)) : null;
}

/**
 * Folds what was dropped into the summary and puts it in the place of the one that stood there, behind `after`.
 * `limit`: uncalibrated tokens of the whole message; where they do not hold a summary at all, it goes.
 */
export function rewriteSummary(
  hook: Hook,
  passId: string,
  dropped: Dropped,
  limit: number,
  after: string | null,
): void {
  const { session, services } = hook;
  const before = summaryMessage(session);
  const count = (text: string) => services.countText(text);
  const room = limit - tokensOfText(hook, summaryText(EMPTY, BLANK_MARK));
  const known = dropped.prepared?.sections ?? standingSections(session);
  const told = new Set(dropped.prepared?.blockIds);
  const passages = dropped.passages.filter(({ blockId }) => !told.has(blockId));
  const sections =
    room <= 0
      ? EMPTY
      : passages.length === 0 && known
        ? foldSummary(known, EMPTY, { limitTokens: room, count })
        : extractiveSummary({ previous: known, passages, goal: null, constraints: [], limitTokens: room, count });
  const facts = Object.values(sections).reduce((sum, lines) => sum + lines.length, 0);
  if (facts === 0 && !before) return;
  const rawBefore = session.rawTokens;
  const tokensBefore = tokensOfMessage(before);
  const generation = (session.summary?.generation ?? 0) + 1;
  const lines = Object.values(sections).flat();
  const messageId =
    facts === 0
      ? null
      : addOwnMessage(
          hook,
          summaryText(sections, markOf(session, lines)),
          "summary",
          after ?? headOf(session)?.id ?? null,
        );
  const added = session.rawTokens - rawBefore;
  hook.emit("summary.rewritten", {
    pass_id: passId,
    message_id: messageId,
    removed_message_id: before?.id ?? null,
    summarizer: dropped.prepared ? "llm" : "extractive",
    generation,
    passages: dropped.passages.length,
    facts,
    tokens_before: tokensBefore,
    tokens_after: added,
    tokens_added: added,
  });
}

const EMPTY: SummarySections = {
  goal: [],
  constraints: [],
  decisions: [],
  files: [],
  errors: [],
  done: [],
  current: [],
  todo: [],
  numbers: [],
  next_step: [],
};
