import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { ConfigSources } from "../config/index.ts";
import { ContextdError } from "../model/errors.ts";
import { Replayer, type ReplayOptions, type ReplayParts, type RunReport } from "../replay/replay.ts";
import type { Failure } from "../replay/report.ts";

/** What came of one file. */
export type Outcome = { readonly report: RunReport } | { readonly failure: Failure };

export interface ReplayJob {
  readonly paths: readonly string[];
  readonly options: ReplayOptions;
  /** Where a worker reads the config from: functions do not go to threads. */
  readonly sources: ConfigSources;
  /** The same config, for runs that are replayed on this thread. */
  readonly parts: ReplayParts;
  readonly onDone: () => void;
}

/** Replays files on all cores. Outcomes are in the order of the paths. Throws invalid_params for bad options. */
export async function replayFiles({ paths, options, sources, parts, onDone }: ReplayJob): Promise<Outcome[]> {
  const replayer = new Replayer(options, parts);
  const outcomes: Outcome[] = [];
  const pending = [...paths.entries()];
  const threads = Math.min(availableParallelism(), paths.length);
  const workerUrl = compiledWorker();
  if (threads < 2 || workerUrl === null) {
    for (const [index, path] of pending) {
      outcomes[index] = await replayFile(replayer, path);
      onDone();
    }
    return outcomes;
  }
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(workerUrl, { workerData: { options, sources } satisfies WorkerInput });
      try {
        for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
          outcomes[next[0]] = await ask(worker, next[1]);
          onDone();
        }
      } finally {
        await worker.terminate();
      }
    }),
  );
  return outcomes;
}

/** What a worker thread is started with; then it gets one path a message and answers with its outcome. */
export interface WorkerInput {
  readonly options: ReplayOptions;
  readonly sources: ConfigSources;
}

/** Replays one file; a run that cannot be read or replayed is an outcome, any other fault is thrown. */
export async function replayFile(replayer: Replayer, path: string): Promise<Outcome> {
  try {
    return { report: await replayer.replay(readFileSync(path, "utf8"), path) };
  } catch (error) {
    if (error instanceof ContextdError) return { failure: { path, reason: error.reason, message: error.message } };
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { failure: { path, reason: "unreadable", message: `${path} cannot be read: ${code}.` } };
  }
}

function ask(worker: Worker, path: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const onMessage = (outcome: Outcome) => settle(() => resolve(outcome));
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = (code: number) => settle(() => reject(new Error(`a replay thread ended with code ${code}`)));
    const settle = (act: () => void) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      act();
    };
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    worker.postMessage(path);
  });
}

/** Null when running from TypeScript sources, which Node 20 cannot load in a worker. */
function compiledWorker(): URL | null {
  return import.meta.url.endsWith(".js") ? new URL("./replay-worker.js", import.meta.url) : null;
}
