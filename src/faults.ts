import { Worker } from "node:worker_threads";
import { z } from "zod";
import { SetupError } from "./server/options.ts";
import type { JournalOptions } from "./store/index.ts";

/** The variable that orders faults. The project's fault tests set it, nobody else. */
const VARIABLE = "CONTEXTD_FAULTS";

const schema = z.strictObject({
  /** Bugs to have: the control of a fault test runs against a daemon that has one, and must go red. */
  unsafe: z
    .strictObject({
      synchronous: z.enum(["NORMAL", "OFF"]),
      skipTransaction: z.boolean(),
      ackBeforeCommit: z.boolean(),
      noHashChain: z.boolean(),
      dedupInMemory: z.boolean(),
    })
    .partial()
    .optional(),
  /** Where the process kills itself with SIGKILL. */
  failpoint: z.enum(["mid_row", "before_commit", "after_commit", "mid_checkpoint", "mid_migration"]).optional(),
  /** The passage of the failpoint that kills; 1 is the first. */
  passes: z.int().min(1).default(1),
  /** Milliseconds from that passage to the kill, while the daemon goes on; 0 is at once. */
  delay_ms: z.number().min(0).max(10_000).default(0),
});

/** What the store is to suffer. */
export type Faults = Required<Pick<JournalOptions, "unsafe" | "failpoint">> & {
  /** As it was ordered, for the warning in the log. */
  readonly ordered: string;
};

/**
 * The faults that the environment orders, as JSON: `CONTEXTD_FAULTS='{"failpoint":"after_commit","passes":3}'`.
 * Null, which is everywhere but in the fault tests, when it orders none. Throws SetupError for what is no such order:
 * a control that was mistyped would pass in silence.
 */
export function readFaults(environment: Readonly<Record<string, string | undefined>>): Faults | null {
  const ordered = environment[VARIABLE];
  if (ordered === undefined) return null;
  let order: z.infer<typeof schema>;
  try {
    order = schema.parse(JSON.parse(ordered));
  } catch (cause) {
    const { shape } = schema;
    throw new SetupError(
      `${VARIABLE} is no JSON object of ${Object.keys(shape).join(", ")} with a failpoint of ${shape.failpoint.unwrap().options.join(", ")}: unset it, it is for the project's tests`,
      { cause },
    );
  }
  const unsafe = Object.fromEntries(Object.entries(order.unsafe ?? {}).filter(([, value]) => value !== undefined));
  return { unsafe, failpoint: killerAt(order), ordered };
}

function killerAt(order: z.infer<typeof schema>): Faults["failpoint"] {
  if (order.failpoint === undefined) return () => {};
  let left = order.passes;
  const kill = order.delay_ms === 0 ? killNow : killerThread(order.delay_ms);
  return (name) => {
    if (name === order.failpoint && --left === 0) kill();
  };
}

function killNow(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Kills from another thread, so that it can strike while the main one is in the middle of a call into SQLite. */
function killerThread(delayMs: number): () => void {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const script = `
    const { signal, delayMs } = require("node:worker_threads").workerData;
    Atomics.wait(signal, 0, 0);
    Atomics.wait(signal, 0, 1, delayMs);
    process.kill(process.pid, "SIGKILL");`;
  new Worker(script, { eval: true, workerData: { signal, delayMs } }).unref();
  return () => {
    Atomics.store(signal, 0, 1);
    Atomics.notify(signal, 0);
  };
}
