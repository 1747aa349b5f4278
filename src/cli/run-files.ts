import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ContextdError } from "../model/errors.ts";

/**
 * The given files and the runs in the given folders, in the order of their names; none twice. Throws invalid_params
 * when there is none.
 */
export function runFiles(given: readonly string[]): string[] {
  const files = given.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new ContextdError("invalid_params", `There is no ${path}.`, { path });
    if (!found.isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => name.endsWith(".jsonl"));
    return names.sort().map((name) => join(path, name));
  });
  if (files.length === 0) {
    throw new ContextdError("invalid_params", `There is no run (*.jsonl) in ${given.join(", ")}.`, { path: "path" });
  }
  return [...new Set(files)];
}
