import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PROMTOOL = "/usr/bin/promtool";

/** Debian's promtool. Where it is not installed a test passes over it, except in CI, where that is a failure. */
export function promtool(args: readonly string[], input: string): { ran: boolean; status: number; output: string } {
  if (!existsSync(PROMTOOL)) {
    if (process.env["CI"]) throw new Error("promtool is missing: apt-get install prometheus");
    return { ran: false, status: 0, output: "" };
  }
  const result = spawnSync(PROMTOOL, args, { input, encoding: "utf8" });
  return { ran: true, status: result.status ?? -1, output: `${result.stdout}${result.stderr}` };
}
