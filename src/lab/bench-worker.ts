import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { loadPlugins } from "../config/index.ts";
import { Bench } from "./bench.ts";
import type { BenchInput, BenchMessage, BenchTask } from "./bench-thread.ts";

/** How far the thread stands back behind those that serve the hooks: the niceness of its kind on Linux. */
const NICENESS = 10;

// The thread behind a replay of the lab: does one task a message. On Linux niceness is of the thread, elsewhere of the
// whole process, which must not stand back.
if (process.platform === "linux") setPriority(NICENESS);
const { terms, config } = workerData as BenchInput;
const bench = new Bench(terms, { config, plugins: await loadPlugins(config.plugins) });
const say = (message: BenchMessage) => parentPort?.postMessage(message);

parentPort?.on("message", async (task: BenchTask) => {
  if (task.kind === "report") say({ kind: "report", report: bench.report() });
  else {
    const failure = await bench.replay(task.id, task.text, async (policy) => say({ kind: "policy", policy }));
    say({ kind: "replayed", failure });
  }
});
