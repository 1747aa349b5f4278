import {
  buildProbes,
  judgeLexically,
  judgementPrompt,
  parseJudgement,
  type Verdict,
  verdictOfJudgement,
} from "../fidelity/index.ts";
import type { BlockType } from "../model/block.ts";
import { ContextdError } from "../model/errors.ts";
import type { Passage } from "../model/passage.ts";
import type { Probe, ProbeType } from "../model/probe.ts";
import type { JudgeModel } from "./commands/command.ts";

/** Tokens of the passages that the judge is shown: fits the windows of the small models that judges are. */
const PASSAGE_TOKENS = 12_000;
/** Characters a token, on the safe side: the judge's own tokenizer is not known. */
const CHARACTERS_A_TOKEN = 3;

interface GivenTexts {
  readonly original: string;
  readonly compressed: string;
}

/** Two texts compared, probe by probe. */
export interface TextEvaluation {
  judge: "lexical" | "llm";
  score: number;
  by_type: Partial<Record<ProbeType, number>>;
  probes: { type: ProbeType; question: string; facts: string[]; kept: boolean; score: number }[];
}

/** Looks for the facts of the original in the compressed text. */
export function evaluateTexts(
  {
    original,
    compressed,
    goal,
    constraints,
  }: GivenTexts & { readonly goal?: string | undefined; readonly constraints: readonly string[] },
  perType: number,
): TextEvaluation {
  const probes = buildProbes({ goal: goal ?? null, constraints, passages: passagesOf(original) }, { perType });
  const verdict = judgeLexically(probes, [compressed]);
  return evaluation("lexical", probes, verdict, verdict.kept.map(Number));
}

/** Has a model compare the answers that both texts give. Throws `overloaded` when it gives no judgement. */
export async function askJudge(
  judge: JudgeModel,
  { probes }: TextEvaluation,
  { original, compressed }: GivenTexts,
  nonce: string,
): Promise<TextEvaluation> {
  const asked = probes.map((probe): Probe => ({ ...probe, within: null, share: 1, blockId: null, turn: 0 }));
  if (asked.length === 0) return evaluation("llm", [], verdictOfJudgement([], []), []);
  const prompt = judgementPrompt({
    probes: asked,
    original: [original],
    compressed: [compressed],
    passageTokens: PASSAGE_TOKENS,
    count: (text) => Math.ceil(text.length / CHARACTERS_A_TOKEN),
    nonce,
  });
  let text: string;
  try {
    ({ text } = await judge.complete(prompt));
  } catch (error) {
    throw noJudgement(error);
  }
  const scores = parseJudgement(text, asked.length);
  if (scores === null) throw noJudgement();
  return evaluation("llm", asked, verdictOfJudgement(asked, scores), scores);
}

function noJudgement(cause?: unknown): ContextdError {
  return new ContextdError(
    "overloaded",
    "The model that judges gave no usable judgement: call again later, or ask for the judge `lexical`.",
    { path: "judge" },
    cause === undefined ? {} : { cause },
  );
}

function evaluation(
  judge: TextEvaluation["judge"],
  probes: readonly Probe[],
  { score, byType, kept }: Verdict,
  scores: readonly number[],
): TextEvaluation {
  return {
    judge,
    score,
    by_type: { ...byType },
    probes: probes.map(({ type, question, facts }, at) => ({
      type,
      question,
      facts: [...facts],
      kept: kept[at] ?? false,
      score: scores[at] ?? 0,
    })),
  };
}

/** A text does not say who speaks in it: it is read as an agent's words, and as a tool's for errors and figures. */
function passagesOf(text: string): Passage[] {
  const types: readonly BlockType[] = ["tool_result", "assistant_response"];
  return types.map((type, unitId) => ({ blockId: "", unitId, turn: 0, type, tool: null, isError: false, text }));
}
