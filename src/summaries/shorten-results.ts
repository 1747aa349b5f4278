import { acceptResult, resultPrompt } from "../compression/index.ts";
import { tellsShare } from "../fidelity/index.ts";
import type { ResultsRequest, SummaryOutcome } from "../manager/jobs/summary-job.ts";
import { failed, RefusedSummary, reasonOf, type SummariseDependencies, sum } from "./summarise.ts";

type Asked = ResultsRequest["results"][number];

interface Made {
  readonly blockId: string;
  readonly partHash: string;
  readonly text: string;
  readonly model: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/**
 * A shorter text for each of the results, one prompt a result, so that none can speak for another. What is refused is
 * absent; where nothing is left, the outcome tells why the last was refused. Never rejects.
 */
export async function shortenResults(
  request: ResultsRequest,
  dependencies: SummariseDependencies,
): Promise<SummaryOutcome> {
  const started = dependencies.now();
  const made: Made[] = [];
  let reason = "empty";
  // One after the other: a job that nobody waits for takes no more than one of the model's places.
  for (const asked of request.results) {
    try {
      made.push(await shortened(request, asked, dependencies));
    } catch (error) {
      reason = reasonOf(error);
      if (!dependencies.isWanted() || !dependencies.model.available()) break;
    }
  }
  const last = made.at(-1);
  if (!last) return failed(reason);
  return {
    kind: "results",
    texts: made.map(({ blockId, partHash, text }) => ({ blockId, partHash, text })),
    model: last.model,
    inputTokens: made.reduce((total: number | null, { inputTokens }) => sum(total, inputTokens), 0),
    outputTokens: made.reduce((total: number | null, { outputTokens }) => sum(total, outputTokens), 0),
    seconds: (dependencies.now() - started) / 1000,
  };
}

async function shortened(
  { goal, settings, count }: ResultsRequest,
  { passage, partHash, limitTokens }: Asked,
  { model, nonce, signal, isWanted }: SummariseDependencies,
): Promise<Made> {
  const maxOutputTokens = Math.min(model.maxOutputTokens, limitTokens);
  const mark = nonce();
  const prompt = resultPrompt({ passage, goal, nonce: mark, maxOutputTokens });
  if (count(prompt.system) + count(prompt.user) > (await model.maxInputTokens())) {
    throw new RefusedSummary("input_too_large");
  }
  const reply = await model.complete({ ...prompt, maxOutputTokens, signal, isWanted });
  const accepted = acceptResult(reply.text, { inputTokens: count(passage.text), count, nonce: mark });
  if (!accepted.ok) throw new RefusedSummary(accepted.reason);
  const { enabled, floor, probes_per_type: perType } = settings.fidelity;
  if (enabled && !tellsShare(passage, accepted.text, floor, perType)) throw new RefusedSummary("fidelity");
  const { inputTokens, outputTokens } = reply;
  return { blockId: passage.blockId, partHash, text: accepted.text, model: reply.model, inputTokens, outputTokens };
}
