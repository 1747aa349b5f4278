import { renderSummary, type SummarySections } from "../compression/index.ts";
import { buildProbes, judgeLexically, judgementPrompt, parseJudgement, verdictOfJudgement } from "../fidelity/index.ts";
import type { HistoryRequest } from "../manager/jobs/summary-job.ts";

/** The model that judges: the daemon's client fits it. */
export interface SummaryJudge {
  complete(request: {
    readonly system: string;
    readonly user: string;
    readonly maxOutputTokens: number;
    readonly signal?: AbortSignal;
    readonly isWanted?: () => boolean;
  }): Promise<{ readonly text: string }>;
}

interface JudgeDependencies {
  readonly judge: SummaryJudge | null;
  readonly nonce: () => string;
  readonly signal: AbortSignal;
  readonly isWanted: () => boolean;
}

/** Tokens of the passages that a judge is shown: fits the windows of the small models that judges are. */
const PASSAGE_TOKENS = 12_000;

/**
 * How much of what the passages say the context could still tell with this summary in their place, 0 to 1; null where
 * fidelity is off or there is nothing to ask. A model judges where the settings say so; where it gives no judgement,
 * and by default, the facts are looked for.
 */
export async function judgeSummary(
  { settings, goal, constraints, passages, staying, count }: HistoryRequest,
  sections: SummarySections,
  { judge, nonce, signal, isWanted }: JudgeDependencies,
): Promise<number | null> {
  const { enabled, judge: wanted, probes_per_type: perType } = settings.fidelity;
  if (!enabled) return null;
  const probes = buildProbes({ goal, constraints, passages }, { perType });
  if (probes.length === 0) return null;
  const shown = [renderSummary(sections), ...(goal === null ? [] : [goal]), ...constraints, ...staying];
  const lexical = () => judgeLexically(probes, shown).score;
  if (wanted === "lexical" || judge === null) return lexical();
  const prompt = judgementPrompt({
    probes,
    original: passages.map(({ text }) => text),
    compressed: shown,
    passageTokens: PASSAGE_TOKENS,
    count,
    nonce: nonce(),
  });
  try {
    const scores = parseJudgement((await judge.complete({ ...prompt, signal, isWanted })).text, probes.length);
    return scores === null ? lexical() : verdictOfJudgement(probes, scores).score;
  } catch {
    // A judge that is away must not cost the summary: the lexical judge is always there.
    return lexical();
  }
}
