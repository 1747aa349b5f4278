import type { EventData } from "../model/events.ts";

export interface FloorInput {
  /** Tokens as the provider counts them. */
  readonly systemTokens: number;
  readonly toolsTokens: number;
  /** Protected content beside the system prompt and the tool definitions. */
  readonly protectedTokens: number;
  readonly reserveTokens: number;
  readonly maxTokens: number;
  /** Red threshold, a share of the window. */
  readonly red: number;
}

export interface Floor {
  /** Data of the `floor.detected` event. */
  readonly figures: EventData["floor.detected"];
  /** Floor / window. */
  readonly ratio: number;
  /** What of the floor stands in the context, so all but the reserve: zones are measured by that. */
  readonly contextTokens: number;
  /** That reaches red: no pass can get the session out of it, so say it and do not loop. */
  readonly reachesRed: boolean;
}

/**
 * What nothing can free: system prompt + tool definitions + protected content + output reserve. Red leaves the reserve its
 * room already (`effectiveThresholds`), so that whether red is reached is told by the tokens of the context alone.
 */
export function floorFigures(input: FloorInput): Floor {
  const contextTokens = input.systemTokens + input.toolsTokens + input.protectedTokens;
  const floor = contextTokens + input.reserveTokens;
  return {
    figures: {
      floor_tokens: floor,
      max_tokens: input.maxTokens,
      system_tokens: input.systemTokens,
      tools_tokens: input.toolsTokens,
      protected_tokens: input.protectedTokens,
      reserve_tokens: input.reserveTokens,
    },
    ratio: floor / input.maxTokens,
    contextTokens,
    reachesRed: contextTokens >= input.red * input.maxTokens,
  };
}
