import { parentPort, workerData } from "node:worker_threads";
import { builtIn } from "../built-in.ts";
import { openConfig } from "../open-config.ts";
import { Replayer } from "../replay/replay.ts";
import { ReplayDesk, type ReplayTask } from "./replay-desk.ts";
import type { WorkerInput } from "./replay-threads.ts";

// The thread behind ReplayThreads: takes one task a message, answers with its outcome.
const { options, sources } = workerData as WorkerInput;
const { config, plugins } = await openConfig(sources, builtIn);
const desk = new ReplayDesk(new Replayer(options, { config, plugins }));
parentPort?.on("message", async (task: ReplayTask) => {
  parentPort?.postMessage(await desk.do(task));
});
