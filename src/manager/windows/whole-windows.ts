import type { Scorer } from "../../eviction/index.ts";
import type { Services } from "../hook.ts";

type Given = Pick<Services, "settings" | "scorer">;

/** A window carries over what is needed whatever the policy frees within one. */
const CARRIES: Scorer = {
  name: "window",
  actions: ["drop"],
  depth: "target",
  score: () => ({ score: 0, parts: {}, rule: "window.closed" }),
};

/** Whether windows are changed where compaction is not enough. */
export function changesWindows({ settings, scorer }: Given): boolean {
  const { enabled } = settings.cross_window;
  return enabled === "auto" ? scorer.actions.length > 0 : enabled;
}

/** Whether nothing is edited within a window, and a full one is left: work goes window by window. */
export function worksWindowByWindow(given: Given): boolean {
  return given.scorer.actions.length === 0 && changesWindows(given);
}

/** The policy by which a window is left: the one in force, or where that edits nothing, one that carries over. */
export function leavingScorer({ scorer }: Given): Scorer {
  return scorer.actions.length > 0 ? scorer : CARRIES;
}
