import { readFileSync } from "node:fs";
import type { Environment } from "../config/index.ts";

/** Where a daemon listens that nobody told otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:7420";

/** The bearer token in the file that is named on the command line or by CONTEXTD_TOKEN_FILE; without one undefined. */
export function bearerToken(file: string | undefined, environment: Environment): string | undefined {
  const path = file ?? environment["CONTEXTD_TOKEN_FILE"];
  return path === undefined ? undefined : readFileSync(path, "utf8").trim();
}
