import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cliWith } from "../cli/cli-with.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const RUNS = fileURLToPath(new URL("../fixtures/replay/runs", import.meta.url));

test("contextd replay reports the same from threads as from one", async () => {
  const args = ["replay", RUNS, "--policy", "hybrid,plain_fifo", "--window", "25%", "--json"];
  const threads = execFileSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });
  const { stdout } = await cliWith(args);
  expect(JSON.parse(threads)).toEqual(JSON.parse(stdout));
  expect(JSON.parse(threads)).toMatchObject({ runs: 2, failures: [] });
});
