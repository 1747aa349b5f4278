import { anthropicMessages } from "./anthropic-messages.ts";
import { openaiChat } from "./openai-chat.ts";
import type { Wire } from "./wire.ts";

/** All wire formats by the name that `llm.*.api` gives them. Another one is one file and one line here. */
export const WIRES = {
  "openai-chat": openaiChat,
  "anthropic-messages": anthropicMessages,
} as const satisfies Record<string, Wire>;

export type WireName = keyof typeof WIRES;

export const WIRE_NAMES = Object.keys(WIRES) as [WireName, ...WireName[]];
