import {
  acceptSummary,
  type PromptOverride,
  renderSummary,
  type SummarySections,
  splitForSummary,
  summaryPrompt,
} from "../compression/index.ts";
import type { HistoryRequest, SummaryOutcome } from "../manager/jobs/summary-job.ts";
import type { Passage } from "../model/passage.ts";
import { judgeSummary, type SummaryJudge } from "./judge-summary.ts";

/** The model that summarises: the daemon's client fits it. */
export interface SummaryModel {
  /** False while asking would fail at once. */
  available(): boolean;
  /** Rejects with an error that has a `reason`. */
  complete(request: {
    readonly system: string;
    readonly user: string;
    readonly maxOutputTokens: number;
    readonly signal?: AbortSignal;
    /** False gives the call up before its next request. */
    readonly isWanted?: () => boolean;
  }): Promise<{
    readonly text: string;
    readonly inputTokens: number | null;
    readonly outputTokens: number | null;
    readonly model: string;
  }>;
  /** Longest prompt, tokens. Never rejects. */
  maxInputTokens(): Promise<number>;
  /** Longest answer, tokens. */
  readonly maxOutputTokens: number;
}

export interface SummariseDependencies {
  readonly model: SummaryModel;
  /** Judges by a model where the settings ask for it; null: lexically. */
  readonly judge: SummaryJudge | null;
  readonly nonce: () => string;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** False once nobody waits for the summary any more. */
  readonly isWanted: () => boolean;
}

/** Prompts that one summary may take: what is longer than that is better left to the extract. */
const MOST_PARTS = 12;

/**
 * One summary by the model: the passages in parts that fit its window, each folded on the summary of the part before,
 * held to what they say. Never rejects: what goes wrong is the outcome's reason.
 */
export async function summarise(request: HistoryRequest, dependencies: SummariseDependencies): Promise<SummaryOutcome> {
  const started = dependencies.now();
  try {
    const { sections, ...usage } = await fold(request, dependencies);
    const fidelity = await judgeSummary(request, sections, dependencies);
    const { enabled, floor } = request.settings.fidelity;
    if (enabled && fidelity !== null && fidelity < floor) return failed("fidelity");
    const seconds = (dependencies.now() - started) / 1000;
    return { kind: "prepared", text: renderSummary(sections), ...usage, seconds, fidelity };
  } catch (error) {
    return failed(reasonOf(error));
  }
}

interface Folded {
  readonly sections: SummarySections;
  readonly model: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A reply that is no summary, by its reason. */
export class RefusedSummary extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`the model's reply is no summary: ${reason}`);
    this.reason = reason;
  }
}

async function fold(
  request: HistoryRequest,
  { model, nonce, signal, isWanted }: SummariseDependencies,
): Promise<Folded> {
  const { goal, constraints, limitTokens, count, passages } = request;
  const maxOutputTokens = Math.min(model.maxOutputTokens, limitTokens);
  const maxInputTokens = await model.maxInputTokens();
  const common = { goal, constraints, maxOutputTokens, override: overrideOf(request) };
  const parts = splitForSummary({
    ...common,
    previous: request.previous,
    passages,
    nonce: nonce(),
    maxInputTokens,
    count,
  });
  if (parts === null || parts.length > MOST_PARTS) throw new RefusedSummary("input_too_large");
  let sections = request.previous;
  let answered = "";
  let read: number | null = 0;
  let written: number | null = 0;
  for (const part of parts) {
    const mark = nonce();
    const reply = await model.complete({
      ...summaryPrompt({ ...common, previous: sections, passages: part, nonce: mark }),
      maxOutputTokens,
      signal,
      isWanted,
    });
    const accepted = acceptSummary(reply.text, {
      inputTokens: tokensOf(part, count) + (sections === null ? 0 : count(renderSummary(sections))),
      limitTokens,
      count,
      constraints: [],
      nonce: mark,
    });
    if (!accepted.ok) throw new RefusedSummary(accepted.reason);
    sections = accepted.sections;
    answered = reply.model;
    read = sum(read, reply.inputTokens);
    written = sum(written, reply.outputTokens);
  }
  if (sections === null) throw new RefusedSummary("empty");
  return { sections, model: answered, inputTokens: read, outputTokens: written };
}

function overrideOf({ settings }: HistoryRequest): PromptOverride {
  const { preserve, drop, format, instructions } = settings.compaction.prompt;
  return {
    ...(preserve === null ? {} : { preserve }),
    ...(drop === null ? {} : { drop }),
    ...(format === null ? {} : { format }),
    ...(instructions === "" ? {} : { instructions }),
  };
}

function tokensOf(passages: readonly Passage[], count: (text: string) => number): number {
  return passages.reduce((total, { text }) => total + count(text), 0);
}

export function sum(total: number | null, more: number | null): number | null {
  return total === null || more === null ? null : total + more;
}

export function failed(reason: string): SummaryOutcome {
  return { kind: "failed", reason };
}

/** A name fit for a label; what has none is a fault of our own. */
export function reasonOf(error: unknown): string {
  const { reason } = error as { readonly reason?: unknown };
  return typeof reason === "string" ? reason : "internal";
}
