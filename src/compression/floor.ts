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
  /** The floor reaches red: no pass can get the session out of it, so say it and do not loop. */
  readonly reachesRed: boolean;
}

/** What nothing can free: system prompt + tool definitions + protected content + output reserve. */
export function floorFigures(input: FloorInput): Floor {
  const floor = input.systemTokens + input.toolsTokens + input.protectedTokens + input.reserveTokens;
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
    reachesRed: floor >= input.red * input.maxTokens,
  };
}
