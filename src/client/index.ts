export { NoAnswerError, RpcError } from "./call-error.ts";
export { ContextdClient, idempotencyKey } from "./rpc-client.ts";
export {
  type EventFilters,
  type StreamEvent,
  type SubscribeOptions,
  SubscriptionRefused,
  subscribeEvents,
} from "./subscribe.ts";
