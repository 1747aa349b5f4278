import type { MessageFormatName } from "../model/message.ts";
import { anthropicFormat } from "./anthropic/format.ts";
import { convertWith } from "./conversion/convert.ts";
import type { MessageFormat, RenderedContext } from "./format.ts";
import { openAiFormat } from "./openai/format.ts";

export { ANTHROPIC_RULES } from "./anthropic/rules.ts";
export { chain, messageDigest, partDigest } from "./digest.ts";
export { isMessageField } from "./envelope.ts";
export type { MessageFormat, RenderedContext, SplitMessage, ToolDefinition, Violation } from "./format.ts";
export { alignHistory, diffHistory, type HistoryDiff, type KnownHistory, type LiveMessage } from "./history.ts";
export { OPENAI_RULES } from "./openai/rules.ts";
export { isClearedResult, providerSummary, reportedEdits } from "./provider-edits.ts";

/** Every message format, by the name that a session gives. */
export const messageFormats: Readonly<Record<MessageFormatName, MessageFormat>> = {
  openai: openAiFormat,
  anthropic: anthropicFormat,
};

/** A context of one provider as a context of the other: see conversion/convert.ts. */
export function convert(context: RenderedContext, from: MessageFormatName, to: MessageFormatName): RenderedContext {
  return convertWith(messageFormats[from], context, to);
}
