import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../src/model/json.ts";
import type { TemporaryFolder } from "./temporary-folder.ts";

const LONG_RUN = fileURLToPath(new URL("../fixtures/replay/runs/long-run.jsonl", import.meta.url));
/** Messages of one piece: about 19,000 tokens. */
const PIECE = 64;

/** Writes runs of tasks of their own, of two families: pieces of the long run in the fixtures. Gives their folder. */
export function tuneRuns(folder: TemporaryFolder, runs: number): string {
  const [, system, prompt, ...steps] = readFileSync(LONG_RUN, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  const begins = steps.flatMap(({ role }, at) => (role === "assistant" && at + PIECE <= steps.length ? [at] : []));
  for (let run = 0; run < runs; run++) {
    const begin = begins[Math.floor((run * begins.length) / runs)] as number;
    const lines = [
      { id: `piece-${run}`, family: run % 2 === 0 ? "even" : "odd", task: `task-${run}` },
      system,
      prompt,
      ...steps.slice(begin, begin + PIECE),
    ];
    folder.write(
      `piece-${String(run).padStart(2, "0")}.jsonl`,
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
  }
  return join(folder.path);
}
