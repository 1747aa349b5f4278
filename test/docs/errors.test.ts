import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../src/model/errors.ts";
import { REFUSALS } from "../../src/server/refusals.ts";

const text = await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8");

/** The rows of the table below a heading, as lists of cells. */
function table(heading: string): string[][] {
  const section = text.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((line) => line.slice(2, -2).split(" | "));
}

describe("docs/errors.md", () => {
  it("lists the errors of calls, each with its code, status and meaning, and no other", () => {
    const documented = table("Errors of calls").map((cells) => cells.slice(0, 5));
    const inCode = Object.entries(ERRORS).map(([reason, { code, http, retryable, meaning }]) => [
      String(code),
      reason,
      String(http),
      retryable ? "yes" : "no",
      meaning,
    ]);
    expect(documented).toEqual(inCode);
  });

  it("lists what HTTP refuses, each with its status and meaning, and no other", () => {
    const documented = table("What HTTP refuses").map((cells) => cells.slice(0, 3));
    const inCode = Object.entries(REFUSALS).map(([reason, { http, meaning }]) => [reason, String(http), meaning]);
    expect(documented).toEqual(inCode);
  });

  it("says for each what to do", () => {
    for (const cells of table("Errors of calls")) expect(cells[5]).toMatch(/\w.*\.$/);
    for (const cells of table("What HTTP refuses")) expect(cells[3]).toMatch(/\w.*\.$/);
  });
});
