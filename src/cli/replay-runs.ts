import type { Outcome } from "./replay-desk.ts";
import { ReplayThreads, type ReplayThreadsOptions } from "./replay-threads.ts";

export interface ReplayJob extends Omit<ReplayThreadsOptions, "most"> {
  readonly paths: readonly string[];
  readonly onDone: () => void;
}

/** Replays files on all cores. Outcomes are in the order of the paths. Throws invalid_params for bad options. */
export async function replayFiles({ paths, onDone, ...job }: ReplayJob): Promise<Outcome<"replay">[]> {
  const threads = new ReplayThreads({ ...job, most: paths.length });
  try {
    return await Promise.all(
      paths.map(async (path) => {
        const outcome = await threads.ask({ kind: "replay", path });
        onDone();
        return outcome;
      }),
    );
  } finally {
    await threads.close();
  }
}
