import { parentPort, workerData } from "node:worker_threads";
import { Replayer } from "../replay/replay.ts";
import { builtIn } from "./built-in.ts";
import { openConfig } from "./open-config.ts";
import { replayFile, type WorkerInput } from "./replay-runs.ts";

// The thread behind replayFiles: takes one path a message, answers with its outcome.
const { options, sources } = workerData as WorkerInput;
const { config, plugins } = await openConfig(sources, builtIn);
const replayer = new Replayer(options, { config, plugins });
parentPort?.on("message", async (path: string) => {
  parentPort?.postMessage(await replayFile(replayer, path));
});
