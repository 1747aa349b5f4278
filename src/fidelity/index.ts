export { buildProbes } from "./build.ts";
export {
  type FoldVerdict,
  type Generations,
  initialGenerations,
  judgeFold,
  keptProbes,
  nextGenerations,
} from "./generations.ts";
export { judgeLexically, type Verdict } from "./judge-lexical.ts";
export { type JudgementPrompt, judgementPrompt, parseJudgement, verdictOfJudgement } from "./llm-judge.ts";
export type { Original } from "./original.ts";
export { tellsShare } from "./tells-share.ts";
