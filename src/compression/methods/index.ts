import type { Registry } from "../../model/strategy.ts";
import type { CompressionMethod } from "../method.ts";
import { conversationCompaction } from "./conversation_compaction.ts";
import { headTail } from "./head_tail.ts";
import { progressive } from "./progressive.ts";
import { subAgent } from "./sub_agent.ts";
import { toolResultSummarization } from "./tool_result_summarization.ts";

/** The compression methods by the name that a config's cascade uses. */
export const compressionMethods = {
  tool_result_summarization: toolResultSummarization,
  progressive,
  conversation_compaction: conversationCompaction,
  sub_agent: subAgent,
  head_tail: headTail,
} as const satisfies Registry<CompressionMethod>;
