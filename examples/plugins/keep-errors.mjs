// An eviction policy of one's own: errors stay, the rest goes by age.
//
//   # contextd.yaml
//   plugins: [./examples/plugins/keep-errors.mjs]
//   eviction: { policy: keep_errors, options: { half_life: 6 } }
import { z } from "zod";

const options = z.strictObject({
  half_life: z.number().positive().default(8).describe("Turns in which a block's worth halves."),
  error_worth: z.number().min(0).max(1).default(0.95).describe("Score of a tool result that is an error."),
});

const ERROR = /\b(?:error|exception|traceback|failed)\b/i;

export const scorers = {
  keep_errors: {
    summary: "Keeps tool results that report an error; everything else goes by age.",
    options,
    configure(given) {
      const { half_life, error_worth } = options.parse(given ?? {});
      return {
        name: "keep_errors",
        actions: ["clear", "clear_input", "drop"],
        depth: "target",
        score(block, view) {
          if (block.type === "tool_result" && ERROR.test(view.text(block))) {
            return { score: error_worth, parts: { error: error_worth }, rule: "keep_errors.error" };
          }
          const recency = 2 ** (-(view.turn - block.turn) / half_life);
          return { score: recency, parts: { recency }, rule: "keep_errors.age" };
        },
      };
    },
  },
};
