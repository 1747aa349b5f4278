import type { JsonObject } from "../model/json.ts";
import { profileText, type TuneReport } from "../tune/index.ts";
import type { TuneDependencies, TuneFlags } from "./tune-flags.ts";
import { tuneTables } from "./tune-table.ts";
import { writeWhole } from "./written-file.ts";

interface Result {
  readonly report: TuneReport;
  readonly flags: TuneFlags;
  /** Settings of the profile that the search started from. */
  readonly base: JsonObject;
  readonly command: string;
  /** Runs that were given. */
  readonly runs: number;
}

/** Prints the report and writes the profile. Throws, when all of it is told, where runs could not be replayed. */
export function handOver({ report, flags, base, command, runs }: Result, dependencies: TuneDependencies): void {
  const { version, stdout, stderr } = dependencies;
  const { name, out, force = false } = flags;
  const { verdict, failures } = report;
  const profile = profileText(report, { name, base, version, command, writtenAt: new Date() });
  if (out !== undefined) writeWhole(out, profile, { option: "out", overwrites: force });
  if (flags.json === true) stdout(`${JSON.stringify({ ...report, profile, written: out ?? null })}\n`);
  else {
    stdout(tuneTables(report));
    const what = verdict === "better" ? "" : ", which changes nothing,";
    if (out !== undefined) stdout(`\nWrote the profile ${name}${what} to ${out}.\n`);
    else if (verdict === "better") stdout(`\n${profile}`);
  }
  for (const { path, message } of failures) stderr(`${path}: ${message}\n`);
  if (failures.length > 0) throw new Error(`${failures.length} of ${runs} runs could not be replayed`);
}
