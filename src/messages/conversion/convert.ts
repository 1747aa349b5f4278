import type { MessageFormatName } from "../../model/message.ts";
import type { MessageFormat, RenderedContext, SplitMessage } from "../format.ts";
import { toAnthropic } from "./to-anthropic.ts";
import { toOpenAi } from "./to-openai.ts";

const WRITERS: Readonly<Record<MessageFormatName, (messages: readonly SplitMessage[]) => RenderedContext>> = {
  openai: toOpenAi,
  anthropic: toAnthropic,
};

/**
 * A context of one provider as a context of the other: a valid one stays valid. Kept: system prompts, text, images,
 * tool calls and results, refusals. Left behind: thinking (only its own provider can verify it) and cache marks.
 * Parts that the other format has no place for become a short note in brackets. Call ids and tool names that the
 * other provider would refuse are replaced, calls and results alike.
 *
 * Throws what `split` of the source format throws.
 */
export function convertWith(source: MessageFormat, context: RenderedContext, to: MessageFormatName): RenderedContext {
  if (source.name === to) return context;
  const messages: SplitMessage[] = [];
  if (context.system !== undefined) messages.push(source.splitSystem(context.system, "system"));
  for (const [index, message] of context.messages.entries()) {
    messages.push(source.split(message, `messages[${index}]`));
  }
  return WRITERS[to](messages);
}
