// A compression method of one's own: lines that a tool result repeats stand once, with their number.
//
//   # contextd.yaml
//   plugins: [./examples/plugins/fold-repeats.mjs]
//   compression:
//     cascade: { "0.50": fold_repeats, "0.75": tool_result_summarization }
//     options: { fold_repeats: { least: 3 } }
import { z } from "zod";

const options = z.strictObject({
  least: z.number().int().min(2).default(3).describe("Lines that must be equal, one behind the other, to be folded."),
});

/** The text with each run of equal lines as one line and how often it stood. */
function folded(text, least) {
  const kept = [];
  let run = [];
  for (const line of [...text.split("\n"), null]) {
    if (run.length > 0 && line !== run[0]) {
      kept.push(...(run.length < least ? run : [run[0], `[× ${run.length}]`]));
      run = [];
    }
    run.push(line);
  }
  return kept.join("\n");
}

export const compression_methods = {
  fold_repeats: {
    summary: "Folds lines that a tool result repeats.",
    options,
    configure(given) {
      const { least } = options.parse(given ?? {});
      return {
        name: "fold_repeats",
        // Plans edits until enough is freed; changes nothing itself.
        apply(view, { tokensToFree }) {
          const edits = [];
          let freed = 0;
          for (const block of view.units.flatMap((unit) => unit.blocks)) {
            if (freed >= tokensToFree) break;
            if (block.part.kind !== "tool_result" || block.part.attachments.length > 0) continue;
            if (block.state !== "whole" || view.planned.has(block.id) || view.isProtected(block)) continue;
            const text = folded(block.part.text, least);
            const tokensAfter = view.tokensWith(block, text);
            if (tokensAfter >= block.tokens) continue;
            freed += block.tokens - tokensAfter;
            edits.push({
              method: "summarize",
              blockIds: [block.id],
              tokensBefore: block.tokens,
              tokensAfter,
              replacementText: text,
              rule: "fold_repeats.lines",
            });
          }
          return edits.length === 0 ? { kind: "not_applicable", reason: "no_repeats" } : { kind: "applied", edits };
        },
      };
    },
  },
};
