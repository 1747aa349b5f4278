import { resultText } from "../../compression/index.ts";
import type { Block } from "../../model/block.ts";
import { textOf } from "../../model/part.ts";
import type { Hook } from "../hook.ts";
import type { Session } from "../session.ts";

/** What a model made of the results that it was given. */
export interface ResultTexts {
  readonly kind: "results";
  /** Of the results for which there is a text: at least one. */
  readonly texts: readonly { readonly blockId: string; readonly partHash: string; readonly text: string }[];
  readonly model: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly seconds: number;
}

/** Takes in the texts that the session's job made. Those of results that have changed meanwhile are left out. */
export function takeResults(hook: Hook, jobId: string, made: ResultTexts): void {
  const { session, services } = hook;
  const asked = new Set(session.job?.blockIds);
  const texts = made.texts
    .filter(({ blockId, partHash }) => asked.has(blockId) && session.blocks.get(blockId)?.partHash === partHash)
    .map(({ blockId, partHash, text }) => ({
      block_id: blockId,
      part_hash: partHash,
      text,
      tokens: services.countText(text),
    }));
  if (texts.length === 0) {
    hook.emit("summary.dropped", { job_id: jobId, reason: "inputs_changed" });
    return;
  }
  hook.emit("results.prepared", {
    job_id: jobId,
    texts,
    results: texts.length,
    tokens: texts.reduce((sum, { tokens }) => sum + tokens, 0),
    model: made.model,
    input_tokens: made.inputTokens,
    output_tokens: made.outputTokens,
    seconds: made.seconds,
  });
}

/** The text that stands for a block by what a model made of what it holds; null: there is none. */
export function preparedText({ canRecall, preparedTexts }: Session, block: Block): string | null {
  const prepared = preparedTexts[block.id];
  if (prepared?.partHash !== block.partHash || prepared.text === null) return null;
  return resultText(prepared.text, {
    lines: textOf(block.part).split("\n").length,
    tokens: block.tokens,
    handle: canRecall ? block.handle : null,
  });
}
