import { ContextdError } from "../model/errors.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";

export type RequestId = string | number | null;

/** A valid JSON-RPC 2.0 request object. */
export interface RpcRequest {
  readonly method: string;
  /** Absent params are an empty object. */
  readonly params: JsonObject | readonly unknown[];
  readonly notification: boolean;
  /** null for a notification. */
  readonly id: RequestId;
}

/** What is wrong with something that is not a request, and the id to answer with. */
export interface Malformed {
  readonly id: RequestId;
  readonly error: ContextdError;
}

/**
 * Reads one request object. Members that JSON-RPC does not know are let pass: the specification does not forbid
 * them and peers add their own. The id is echoed where it can be made out, and is null otherwise.
 */
export function readRequest(value: unknown): RpcRequest | Malformed {
  if (!isJsonObject(value)) return malformed(null, "A request is a JSON object, or a non-empty array of them.");
  const notification = !Object.hasOwn(value, "id");
  const id = notification ? null : (value["id"] as unknown);
  if (!isRequestId(id)) {
    return malformed(
      null,
      'The member "id" must be a string, null, or a number that keeps its value (integers up to 2^53 - 1).',
    );
  }
  if (value["jsonrpc"] !== "2.0") return malformed(id, 'The member "jsonrpc" must be "2.0".');
  const method = value["method"];
  if (typeof method !== "string") return malformed(id, 'The member "method" must be a string.');
  const params = Object.hasOwn(value, "params") ? value["params"] : {};
  if (typeof params !== "object" || params === null) {
    return malformed(id, 'The member "params" must be an object; leave it out when there are none.');
  }
  return { method, params, notification, id };
}

export function isMalformed(read: RpcRequest | Malformed): read is Malformed {
  return "error" in read;
}

/** A number that JSON.stringify would not give back as it came cannot name a request. */
function isRequestId(id: unknown): id is RequestId {
  if (typeof id === "number") return Number.isFinite(id) && (!Number.isInteger(id) || Number.isSafeInteger(id));
  return typeof id === "string" || id === null;
}

function malformed(id: RequestId, sentence: string): Malformed {
  return { id, error: new ContextdError("invalid_request", sentence) };
}
