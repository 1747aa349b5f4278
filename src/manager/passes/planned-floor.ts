import { type Floor, floorFigures } from "../../compression/index.ts";
import type { Hook } from "../hook.ts";
import { currentTokens, limitsOf } from "../measure.ts";
import { leavingScorer, worksWindowByWindow } from "../windows/whole-windows.ts";
import { carriedTokens } from "./carried.ts";
import { carriesOver } from "./carry-over.ts";
import { type PassDemand, planPass } from "./pass-plan.ts";

/**
 * What nothing can free, in tokens as the provider counts them: what is left when everything that the deepest pass
 * could do is done, or where nothing is edited within a window, when that is left. Content that no edit fits counts, and so does what the provider counts beyond our own figures.
 */
export function floorOf(hook: Hook): Floor {
  const { session, services } = hook;
  const { reserve, thresholds } = limitsOf(session, services);
  const scaled = (tokens: number) => Math.round(tokens * services.calibration);
  const { tokens } = currentTokens(session, services);
  const demand: PassDemand = { cause: "red", protection: "emergency", targetTokens: 0, forced: true, level: 1 };
  const plan = worksWindowByWindow(services)
    ? hook.with({ scorer: leavingScorer(services) }, () => planPass(hook, demand))
    : planPass(hook, demand);
  const freed = plan.tokensFreed + (carriesOver(hook, demand) ? carriedTokens(session) : 0);
  const systemTokens = scaled(session.componentTokens.system_prompt);
  const toolsTokens = scaled(session.componentTokens.tool_definitions);
  return floorFigures({
    systemTokens,
    toolsTokens,
    protectedTokens: Math.max(0, tokens - scaled(freed) - systemTokens - toolsTokens),
    reserveTokens: reserve,
    maxTokens: session.maxTokens,
    red: thresholds.red,
  });
}
