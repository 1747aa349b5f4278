import type { z } from "zod";
import type { Access, Principal, Scope } from "./scope.ts";

export type TransportName = "http" | "websocket" | "inprocess";

/** What a method knows of a call besides its parameters. */
export interface CallContext {
  readonly principal: Principal;
  readonly transport: TransportName;
  /** W3C trace context of the caller, checked for its form; null when there is none. */
  readonly traceparent: string | null;
  /** Aborted when nobody waits for the answer any more. A hook that has begun is carried through all the same. */
  readonly signal: AbortSignal;
}

/** One method of the registry: the source of validation, OpenRPC, docs and the client's types. */
export interface RpcMethod extends Access {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** The least scope that may call it; `permits` says which others include it. */
  readonly scope: Scope;
  /** Whether it changes anything. A mutating method takes `idempotency_key`. */
  readonly mutates: boolean;
  /** A `z.strictObject`. */
  readonly params: z.ZodType;
  readonly result: z.ZodType;
  /** Milliseconds until the caller is told to stop waiting; the dispatcher's own limit when absent, none when null. */
  readonly timeoutMs?: number | null;
  /** `params` have passed the schema. Throws ContextdError for whatever the caller is to be told. */
  call(context: CallContext, params: unknown): Promise<unknown>;
}

/** What an author writes: `call` sees the type of its own schemas. */
export interface MethodDefinition<Params extends z.ZodType, Result extends z.ZodType>
  extends Omit<RpcMethod, "params" | "result" | "call"> {
  readonly params: Params;
  readonly result: Result;
  call(context: CallContext, params: z.output<Params>): Promise<z.input<Result>>;
}

/** Hides the types of a method's schemas, so that a registry is a literal list and needs no cast. */
export function rpcMethod<Params extends z.ZodType, Result extends z.ZodType>(
  definition: MethodDefinition<Params, Result>,
): RpcMethod {
  return { ...definition, call: (context, params) => definition.call(context, params as z.output<Params>) };
}
