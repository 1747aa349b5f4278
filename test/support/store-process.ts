import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { compiledSources } from "./compiled-sources.ts";
import type { TemporaryFolder } from "./temporary-folder.ts";

/** How a child process ended, and what it wrote. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: string[];
  readonly errors: string;
}

/** What a child may use without importing it; `say` writes a line at once, so that a kill loses none. */
const PRELUDE = `
import { writeSync, readFileSync } from "node:fs";
import { openJournal } from "./store/index.js";
import { contentHash } from "./model/content-hash.js";
const say = (value) => writeSync(1, JSON.stringify(value) + "\\n");
const die = () => process.kill(process.pid, "SIGKILL");
const [folder, ...rest] = process.argv.slice(2);
const key = { tenant: "acme", id: "s1" };
const request = (sessionSeq, fields = {}) => ({
  key, sessionSeq, at: 1_700_000_000_000 + sessionSeq, hook: "on_turn_start", body: JSON.stringify({ position: sessionSeq }),
  contents: [], idempotencyKey: null, summary: "{}", closed: false, snapshot: null, ...fields,
});
`;

/**
 * Runs scripts over the store in processes of their own: the binding may abort, the process may be killed, and a
 * data folder cannot be opened twice in one process.
 */
export function storeProcesses(): (script: string, ...args: readonly string[]) => Promise<Ending> {
  let sources: TemporaryFolder;
  let scripts = 0;
  beforeAll(() => {
    sources = compiledSources(["model", "store"]);
  });
  afterAll(() => sources[Symbol.dispose]());

  return (script, ...args) => {
    const name = `script-${++scripts}.mjs`;
    sources.write(name, PRELUDE + script);
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(sources.path, name), ...args], { stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      let errors = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        errors += text;
      });
      child.on("error", reject);
      child.on("close", (code, signal) => {
        resolve({ code, signal, errors, lines: output.split("\n").filter((line) => line !== "") });
      });
    });
  };
}
