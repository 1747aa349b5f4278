import type { MessageFormatName, Role } from "../model/message.ts";

/**
 * What a provider charges beside the content.
 *
 * OpenAI: 3 tokens frame a message, its role is one, a `name` one more than its text, and 3 prime the reply. Source:
 * "How to count tokens with tiktoken", OpenAI's cookbook, for gpt-3.5-turbo-0613 and later.
 *
 * Anthropic publishes none for messages: 4, after OpenAI's; and 346 for the prompt that lets the model use tools (tool
 * choice auto). Source: "Tool use", pricing table, Anthropic's API guide. Its system prompt is a field, framed by none.
 */
const OVERHEADS = {
  openai: { frame: 3, role: 1, name: 1, system: 4, prompt: 3, tools: 0 },
  anthropic: { frame: 3, role: 1, name: 0, system: 0, prompt: 0, tools: 346 },
} as const satisfies Record<MessageFormatName, object>;

/** Tokens of a message beside its parts. `named`: it has a `name`, whose own text is counted apart. */
export function messageOverhead(format: MessageFormatName, role: Role, named = false): number {
  const overhead = OVERHEADS[format];
  const framed = role === "system" ? overhead.system : overhead.frame + overhead.role;
  return framed + (named ? overhead.name : 0);
}

/** Tokens of a prompt beside its messages and tool definitions, once a call. */
export function promptOverhead(format: MessageFormatName, hasTools: boolean): number {
  const overhead = OVERHEADS[format];
  return overhead.prompt + (hasTools ? overhead.tools : 0);
}
