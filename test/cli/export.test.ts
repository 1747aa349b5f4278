import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { cliWith } from "./cli-with.ts";

describe("contextd export", () => {
  test("makes no store where there is none", async () => {
    using folder = temporaryFolder();
    const { exitCode, stderr } = await cliWith(["export", "s", "--data", folder.path]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("There is no journal of contextd in");
    expect(existsSync(join(folder.path, "contextd.db"))).toBe(false);
  });

  test.each([
    [["export"], /missing required argument 'session'/],
    [["export", "s", "--data", "x", "--url", "http://127.0.0.1:1"], /either --url or --data/],
  ])("%j is a mistake of usage: exit code 2", async (argv, message) => {
    const { exitCode, stdout, stderr } = await cliWith(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("tells when no daemon answers", async () => {
    const { exitCode, stderr } = await cliWith(["export", "s"], {
      environment: { CONTEXTD_URL: "http://127.0.0.1:9" },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/session\.export/);
  });
});
