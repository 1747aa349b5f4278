/**
 * Names of the attributes of spans, all in one place: those of `gen_ai.*` follow OpenTelemetry's conventions for
 * generative AI, which are still in development, and may have to follow them again.
 */
export const ATTRIBUTES = {
  serviceName: "service.name",
  serviceVersion: "service.version",
  serviceInstance: "service.instance.id",
  rpcSystem: "rpc.system",
  rpcMethod: "rpc.method",
  rpcVersion: "rpc.jsonrpc.version",
  errorType: "error.type",
  transport: "contextd.transport",
  conversation: "gen_ai.conversation.id",
  agent: "gen_ai.agent.name",
  model: "gen_ai.request.model",
  provider: "gen_ai.provider.name",
  utilization: "gen_ai.context.utilization",
  strategy: "compaction.strategy",
  summarizer: "compaction.summarizer",
  cause: "compaction.cause",
  tokensBefore: "compaction.tokens_before",
  tokensAfter: "compaction.tokens_after",
} as const;
