import { z } from "zod";
import { ContextdError } from "../../src/model/errors.ts";
import { type CallContext, type RpcMethod, rpcMethod } from "../../src/rpc/method.ts";

/** A call that ends when it is told to. */
class Gate {
  readonly #waiting: (() => void)[] = [];
  #arrivals: { count: number; resolve: () => void }[] = [];
  entered = 0;

  pass(): Promise<void> {
    this.entered++;
    for (const arrival of this.#arrivals) if (this.entered >= arrival.count) arrival.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when that many calls are at the gate or past it. */
  reached(count: number): Promise<void> {
    if (this.entered >= count) return Promise.resolve();
    return new Promise((resolve) => this.#arrivals.push({ count, resolve }));
  }

  open(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}

/** What the test methods share with a test. */
export interface MethodProbe {
  readonly gate: Gate;
  readonly calls: { readonly method: string; readonly params: unknown; readonly context: CallContext }[];
}

export function methodProbe(): MethodProbe {
  return { gate: new Gate(), calls: [] };
}

const anything = z.json();

/** A small registry with one method for each way that a call can go. */
export function testMethods(probe: MethodProbe): RpcMethod[] {
  const noted = <T extends RpcMethod>(method: T): RpcMethod => ({
    ...method,
    call(context, params) {
      probe.calls.push({ method: method.name, params, context });
      return method.call(context, params);
    },
  });
  return [
    rpcMethod({
      name: "echo",
      summary: "Answers its value.",
      scope: "agent",
      mutates: false,
      params: z.strictObject({ value: anything.optional() }),
      result: z.strictObject({ value: anything }),
      call: async (_context, { value }) => ({ value: value ?? null }),
    }),
    rpcMethod({
      name: "session.write",
      summary: "Has a rule for each kind of mistake.",
      scope: "agent",
      mutates: true,
      params: z.strictObject({
        session_id: z.string().min(1).max(16),
        turn: z.int().min(0).max(9).optional(),
        note: z.string().regex(/\S/, "must hold more than white space").optional(),
        code: z
          .string()
          .regex(/^[a-z]+$/)
          .optional(),
        policy: z.enum(["fifo", "lru"]).optional(),
        tags: z.array(z.string()).max(3).optional(),
        weights: z.record(z.string(), z.number()).optional(),
        source: z
          .discriminatedUnion("kind", [
            z.strictObject({ kind: z.literal("file"), path: z.string() }),
            z.strictObject({ kind: z.literal("url"), url: z.string() }),
          ])
          .optional(),
        window: z.union([z.literal("auto"), z.strictObject({ tokens: z.number().positive() })]).optional(),
        idempotency_key: z.string().optional(),
      }),
      result: z.strictObject({ session_id: z.string() }),
      call: async (_context, { session_id }) => ({ session_id }),
    }),
    rpcMethod({
      name: "session.release",
      summary: "Only an operator may.",
      scope: "operator",
      mutates: true,
      params: z.strictObject({ idempotency_key: z.string().optional() }),
      result: z.strictObject({}),
      call: async () => ({}),
    }),
    rpcMethod({
      name: "session.tune",
      summary: "The agent and the operator may.",
      scope: "agent",
      sharedWith: ["operator"],
      mutates: true,
      params: z.strictObject({ idempotency_key: z.string().optional() }),
      result: z.strictObject({}),
      call: async () => ({}),
    }),
    rpcMethod({
      name: "daemon.reload",
      summary: "Only an admin may.",
      scope: "admin",
      mutates: true,
      params: z.strictObject({ idempotency_key: z.string().optional() }),
      result: z.strictObject({}),
      call: async () => ({}),
    }),
    rpcMethod({
      name: "gate.pass",
      summary: "Waits until the test opens the gate.",
      scope: "agent",
      mutates: true,
      params: z.strictObject({ idempotency_key: z.string().optional() }),
      result: z.literal("passed"),
      async call() {
        await probe.gate.pass();
        return "passed" as const;
      },
    }),
    rpcMethod({
      name: "fail.known",
      summary: "Fails with a reason of the catalogue.",
      scope: "agent",
      mutates: false,
      params: z.strictObject({ retry_after_ms: z.number().optional(), reason: z.string().optional() }),
      result: z.never(),
      async call(_context, { retry_after_ms, reason }) {
        throw new ContextdError((reason ?? "session_not_found") as "session_not_found", "There is no session s1.", {
          session_id: "s1",
          ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
        });
      },
    }),
    rpcMethod({
      name: "fail.unknown",
      summary: "Fails as nobody foresaw.",
      scope: "agent",
      mutates: false,
      params: z.strictObject({ text: z.string().optional() }),
      result: z.never(),
      async call(_context, { text }) {
        if (text !== undefined) JSON.parse(text);
        throw new TypeError("a bug");
      },
    }),
    rpcMethod({
      name: "fail.result",
      summary: "Answers what JSON cannot hold.",
      scope: "agent",
      mutates: false,
      params: z.strictObject({}),
      result: z.any(),
      call: async () => ({ huge: 1n }),
    }),
    rpcMethod({
      name: "text.of",
      summary: "Answers a text of a given length.",
      scope: "agent",
      mutates: false,
      params: z.strictObject({ characters: z.int().min(0).max(10_000_000) }),
      result: z.string(),
      call: async (_context, { characters }) => "x".repeat(characters),
    }),
  ].map(noted);
}
