import { cpSync } from "node:fs";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

/** A data folder that is gone after the test. */
export function storeFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

/**
 * The store as another process would find it now: after `close`, or, of an open one, as `kill -9` would leave it.
 * A copy, since libsql keeps its lock until the garbage collector has seen every statement.
 */
export function copyOfStore(folder: string): string {
  const copy = storeFolder();
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}
