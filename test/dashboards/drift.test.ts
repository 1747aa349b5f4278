import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dashboardFiles, dashboardText } from "../../src/dashboards/index.ts";
import { DASHBOARDS } from "../support/dashboards.ts";

const files = dashboardFiles();

it("dashboards/ holds the generator's dashboards, and no other", () => {
  const committed = readdirSync(DASHBOARDS).filter((name) => name.endsWith(".json"));
  expect(committed.sort()).toEqual(files.map(({ name }) => name).sort());
});

it.each(files)("$name is as the generator makes it: npm run dashboards", (file) => {
  expect(readFileSync(join(DASHBOARDS, file.name), "utf8")).toBe(dashboardText(file));
});
