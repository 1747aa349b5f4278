import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ContextdError } from "../model/errors.ts";

/** Refuses a file that could not be written afterwards. Throws invalid_params with the cure. */
export function requireWritable(file: string, overwrites: boolean): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw refused(file, `${file} is no file: name one.`);
  if (found !== undefined && !overwrites) throw exists(file);
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory()) {
    throw refused(file, `There is no folder ${dirname(file)}: make it first.`);
  }
}

/** Writes a file whole or not at all. Throws invalid_params where it has come to be there and may not be overwritten. */
export function writeWhole(file: string, text: string, overwrites: boolean): void {
  requireWritable(file, overwrites);
  const beside = `${file}.${process.pid}.new`;
  try {
    writeFileSync(beside, text, { flag: "wx" });
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new Error(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`, { cause: error });
  }
}

function exists(file: string): ContextdError {
  return refused(file, `${file} is there already: name another file, or overwrite it with --force.`);
}

function refused(file: string, message: string): ContextdError {
  return new ContextdError("invalid_params", message, { path: "out", file });
}
