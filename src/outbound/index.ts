export { type Address, type Lookup, lookupAll, staysHere } from "./addresses.ts";
export { asOutboundError } from "./error.ts";
export { backoffMs, type Pause, pause, retryAfterMs } from "./retry.ts";
export { type HttpReply, type HttpRequest, type SendOptions, send } from "./send.ts";
