import { accessSync, constants, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ContextdError } from "../model/errors.ts";

/** A file that an option names. */
interface Written {
  /** The option, without dashes. */
  readonly option: string;
  /** Whether a file that is there may be replaced. */
  readonly overwrites: boolean;
}

/** Refuses a file that could not be written afterwards: that is told before the work. Throws invalid_params. */
export function requireWritable(file: string, { option, overwrites }: Written): void {
  const refused = (message: string) => new ContextdError("invalid_params", message, { path: option, file });
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw refused(`${file} is no file: name one.`);
  if (found !== undefined && !overwrites) {
    throw refused(`${file} is there already: name another file, or overwrite it with --force.`);
  }
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw refused(`There is no folder ${folder}: make it first.`);
  }
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw refused(`${file} cannot be written: ${codeOf(error)}.`);
  }
}

/** Writes a file whole or not at all. Throws invalid_params where it has come to be there and may not be replaced. */
export function writeWhole(file: string, text: string, written: Written): void {
  requireWritable(file, written);
  const beside = `${file}.${process.pid}.new`;
  try {
    writeFileSync(beside, text, { flag: "wx" });
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new Error(`${file} cannot be written: ${codeOf(error)}`, { cause: error });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}
