import type { ReplayRow } from "../replay/report-rows.ts";

/** A figure of one run under one policy, and which way is good. */
interface LabFigure {
  /** Null where the run has nothing of the kind. */
  readonly of: (row: ReplayRow) => number | null;
  readonly better: "more" | "less";
}

/** What policies are weighed by, in the order of a score table. Shares are from 0 to 1. */
export const LAB_FIGURES = {
  line_recall: { of: ({ figures }) => figures.line, better: "more" },
  far_recall: { of: ({ figures }) => figures.far, better: "more" },
  grounded_recall: { of: ({ figures }) => figures.grounded, better: "more" },
  value_recall: { of: ({ figures }) => figures.value, better: "more" },
  relative_cost: { of: ({ figures }) => figures.cost, better: "less" },
  needed_again: {
    of: ({ figures: { regret, needWeight } }) => (needWeight > 0 ? regret.weight / needWeight : null),
    better: "less",
  },
  edits_per_100_turns: {
    of: ({ figures: { editedRequests, requests } }) => (requests > 0 ? (100 * editedRequests) / requests : null),
    better: "less",
  },
  mean_utilization: { of: ({ figures }) => figures.filled, better: "less" },
  peak_utilization: { of: ({ figures }) => figures.peak, better: "less" },
} as const satisfies Record<string, LabFigure>;

export type LabFigureName = keyof typeof LAB_FIGURES;
export const LAB_FIGURE_NAMES = Object.keys(LAB_FIGURES) as LabFigureName[];
