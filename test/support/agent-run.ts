import fc from "fast-check";
import { scorers } from "../../src/eviction/index.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";

/**
 * A whole run of an agent as plain data: what it says, how big, by which calls. `SimulatedAgent` plays it. Sizes are
 * shares of the window, so that the same run presses a small window as hard as a large one.
 */
export interface AgentRun {
  readonly setup: Setup;
  readonly steps: readonly Step[];
}

/** How the agent tells what is new. `own`: its own whole list; `managed`: the list that it was handed back. */
export type Telling = "messages" | "own" | "managed";

export interface Setup {
  readonly format: MessageFormatName;
  readonly model: string;
  readonly window: number;
  readonly policy: string;
  readonly telling: Telling;
  /** False for an agent that calls nothing but on_turn_start, with its whole list. */
  readonly reportsSteps: boolean;
  /** False for an agent that keeps the whole tool result when it was told to keep less. */
  readonly keepsWhatItIsTold: boolean;
  readonly system: Text | null;
  readonly tools: readonly string[];
  readonly task: Text;
  readonly strict: boolean;
  readonly keepRecentUnits: number;
  readonly targetUtilization: number | "auto";
  readonly minTokensFreed: number;
  readonly mergeThreshold: number;
}

export interface Text {
  readonly kind: "prose" | "same" | "odd" | "short";
  /** Share of the window, before a cap. */
  readonly size: number;
  readonly seed: number;
}

export interface Call {
  readonly name: string;
  readonly input: Text;
  readonly file: number;
  readonly result: Text;
  readonly form: "text" | "parts" | "image" | "image_alone" | "json" | "empty";
  readonly isError: boolean;
  /** By on_tool_result, or with the messages of the next turn. */
  readonly byHook: boolean;
}

export interface Turn {
  readonly kind: "turn";
  readonly ask: Text | null;
  readonly askForm: "text" | "parts" | "image" | "unknown";
  /** A system message behind what the user said. */
  readonly instruct: boolean;
  readonly reply: "messages" | "patch" | "decision";
  /** The context's size as the runtime reports it, a share of the window. */
  readonly reported: number | null;
  readonly estimatedResponse: number | null;
  readonly overflows: number;
  readonly say: Text | null;
  readonly sayParts: boolean;
  readonly thinking: number;
  readonly calls: readonly Call[];
  /** Reported usage over our own figure. */
  readonly usage: number | null;
}

export type Step =
  | Turn
  | {
      readonly kind: "remember";
      readonly text: Text;
      readonly type: "memory_injection" | "note";
      readonly pin: boolean;
    }
  | { readonly kind: "interject"; readonly text: Text; readonly pin: boolean }
  | { readonly kind: "pin" | "unpin"; readonly at: number }
  | { readonly kind: "recall" | "restore"; readonly at: number }
  | { readonly kind: "configure"; readonly settings: Record<string, unknown> }
  | {
      readonly kind: "look";
      readonly what: "get" | "explain" | "search" | "budget" | "audit" | "session";
      readonly at: number;
    }
  | { readonly kind: "restart" }
  /** The agent puts another system prompt into its own list, if it has one. */
  | { readonly kind: "instruct"; readonly text: Text }
  /** The agent rewrites its own list, if it has one: leaves messages out, or puts a summary in their place. */
  | { readonly kind: "rewrite"; readonly from: number; readonly count: number; readonly summary: boolean };

const share = fc.nat(1000).map((value) => value / 1000);

export const anyText: fc.Arbitrary<Text> = fc.record({
  kind: fc.constantFrom("prose", "prose", "prose", "same", "odd", "short"),
  size: share.map((value) => 0.4 * value ** 3),
  seed: fc.nat(9999),
});

const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom("read_file", "write_file", "bash", "mcp__git__log"),
  input: anyText,
  file: fc.nat(4),
  result: anyText,
  form: fc.constantFrom("text", "text", "text", "parts", "image", "image_alone", "json", "empty"),
  isError: fc.boolean(),
  byHook: fc.boolean(),
});

const turn: fc.Arbitrary<Turn> = fc.record({
  kind: fc.constant("turn" as const),
  ask: fc.option(anyText, { freq: 2 }),
  askForm: fc.constantFrom("text", "text", "parts", "image", "unknown"),
  instruct: fc.boolean(),
  reply: fc.constantFrom("messages", "messages", "patch", "decision"),
  reported: fc.option(
    share.map((value) => 1.1 * value),
    { freq: 6, nil: null },
  ),
  estimatedResponse: fc.option(share, { freq: 6, nil: null }),
  overflows: fc.nat(24).map((value) => Math.max(0, value - 21)),
  say: fc.option(anyText, { freq: 4 }),
  sayParts: fc.boolean(),
  thinking: fc.constantFrom(0, 0, 1, 2),
  calls: fc.array(call, { maxLength: 4, size: "medium" }),
  usage: fc.option(
    share.map((value) => 0.6 + value),
    { freq: 3, nil: null },
  ),
});

const policy = fc.constantFrom(...Object.keys(scorers));

const settings = fc.oneof(
  policy.map((name) => ({ eviction: { policy: name, options: {} } })),
  fc.record({ yellow: share, orange: share, red: share }).map(({ yellow, orange, red }) => {
    const [a, b, c] = [0.1 + 0.2 * yellow, 0.35 + 0.3 * orange, 0.7 + 0.25 * red];
    return { pressure: { thresholds: { yellow: a, orange: b, red: c } }, eviction: { target_utilization: "auto" } };
  }),
  fc.constantFrom({ budget: { enforcement: "strict" } }, { budget: { enforcement: "global" } }),
  fc.nat(6).map((n) => ({ eviction: { keep_recent_units: n } })),
  fc.nat(5).map((n) => ({ eviction: { min_turns_between_edits: n } })),
  fc.boolean().map((enabled) => ({ eviction: { merge: { enabled, threshold: 0.6 } } })),
  fc.constantFrom("auto" as const, 64, 300).map((most) => ({ compression: { ingest_max_tokens: most } })),
);

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: turn },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("remember" as const),
      text: anyText,
      type: fc.constantFrom("memory_injection", "note"),
      pin: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("interject" as const), text: anyText, pin: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("pin", "unpin"), at: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("recall", "restore"), at: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("configure" as const), settings }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("look" as const),
      what: fc.constantFrom("get", "explain", "search", "budget", "audit", "session"),
      at: fc.nat(1000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("instruct" as const), text: anyText }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("rewrite" as const),
      from: fc.nat(30),
      count: fc.integer({ min: 1, max: 12 }),
      summary: fc.boolean(),
    }),
  },
);

const WINDOWS = [256, 512, 1_000, 2_048, 4_096, 8_192, 16_000, 32_768, 128_000, 200_000];

/** @param formats the message formats that runs are told in. */
export function setupOf(formats: readonly MessageFormatName[] = MESSAGE_FORMATS): fc.Arbitrary<Setup> {
  return fc.record({
    format: fc.constantFrom(...formats),
    model: fc.constantFrom("gpt-4o", "claude-sonnet-4-5", "unknown"),
    window: fc.oneof(fc.constantFrom(...WINDOWS), fc.integer({ min: 256, max: 200_000 })),
    policy,
    telling: fc.constantFrom("messages", "messages", "own", "managed"),
    reportsSteps: fc.boolean(),
    keepsWhatItIsTold: fc.boolean(),
    system: fc.option(anyText, { freq: 3 }),
    tools: fc.subarray(["read_file", "write_file", "bash", "mcp__git__log", "recall"]),
    task: anyText,
    strict: fc.boolean(),
    keepRecentUnits: fc.nat(5),
    targetUtilization: fc.constantFrom("auto" as const, 0.2, 0.5),
    minTokensFreed: fc.constantFrom(0, 256),
    mergeThreshold: fc.constantFrom(0.6, 0.85),
  });
}

/** Runs of up to `most` steps: many short ones, some long ones. */
export function anyRun(most: number, formats?: readonly MessageFormatName[]): fc.Arbitrary<AgentRun> {
  const steps = (length: number) => fc.array(anyStep, { maxLength: Math.min(length, most), size: "max" });
  return fc.record({
    setup: setupOf(formats),
    steps: fc.oneof(
      { weight: 6, arbitrary: steps(12) },
      { weight: 3, arbitrary: steps(30) },
      { weight: 1, arbitrary: steps(most) },
    ),
  });
}
