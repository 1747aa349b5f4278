// A health rule of one's own: a window that is far too large for what the session does.
//
//   # contextd.yaml
//   plugins: [./examples/plugins/window-wasted.mjs]
//   health_monitoring: { options: { window_wasted: { share: 0.05 } } }
import { z } from "zod";

const options = z.strictObject({
  share: z.number().gt(0).lt(1).default(0.1).describe("Share of the window below which it is wasted."),
});

export const health_rules = {
  window_wasted: {
    summary: "A session that has gone on for ten turns and more and hardly uses its window.",
    options,
    configure(given) {
      const { share } = options.parse(given ?? {});
      return {
        name: "window_wasted",
        alert: "WindowWasted",
        severity: "info",
        metric: "utilization",
        raiseAfter: 3,
        resolveAfter: 3,
        judge({ turns, metrics }) {
          if (turns.length < 10) return null;
          const held = metrics.utilization;
          const level = held < share ? "bad" : held >= 1.5 * share ? "good" : "between";
          return { level, summary: `The context holds ${Math.round(100 * held)} % of its window.` };
        },
      };
    },
  },
};
