import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { builtIn } from "../built-in.ts";
import type { Json } from "../model/json.ts";
import { openConfig } from "../open-config.ts";
import { Bench } from "./bench.ts";
import type { BenchInput, BenchMessage, BenchTask } from "./bench-thread.ts";

/** How far the thread stands back behind those that serve the hooks: the niceness of its kind on Linux. */
const NICENESS = 10;

// The thread behind a replay of the lab: does one task a message. On Linux niceness is of the thread, elsewhere of the
// whole process, which must not stand back.
if (process.platform === "linux") setPriority(NICENESS);
const { terms, config: inForce } = workerData as BenchInput;
// The config in effect is read again as if all of it had been typed: a copy of it lacks what resolves settings, and
// its file may have changed since.
const flags = Object.entries(inForce).map(([key, value]) => ({ flag: key, path: [key], value: value as Json }));
const { config, plugins } = await openConfig({ file: null, environment: {}, flags }, builtIn);
const bench = new Bench(terms, { config, plugins });
const say = (message: BenchMessage) => parentPort?.postMessage(message);

parentPort?.on("message", async (task: BenchTask) => {
  if (task.kind === "report") say({ kind: "report", report: bench.report() });
  else {
    const failure = await bench.replay(task.id, task.text, async (policy) => say({ kind: "policy", policy }));
    say({ kind: "replayed", failure });
  }
});
