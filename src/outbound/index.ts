export { type Address, isDenied, type Lookup, lookupAll, staysHere } from "./addresses.ts";
export { asOutboundError, OutboundError } from "./error.ts";
export { backoffMs, type Pause, pause, retryAfterMs } from "./retry.ts";
export { type HttpReply, type HttpRequest, type SendOptions, send } from "./send.ts";
