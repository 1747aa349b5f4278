import type { Registry } from "../../model/strategy.ts";
import type { CompressionMethod } from "../method.ts";
import { conversationCompaction } from "./conversation_compaction.ts";
import { headTail } from "./head_tail.ts";
import { subAgent } from "./sub_agent.ts";

/** The compression methods by the name that a config's cascade uses. */
export const compressionMethods = {
  conversation_compaction: conversationCompaction,
  head_tail: headTail,
  sub_agent: subAgent,
} as const satisfies Registry<CompressionMethod>;
