import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { bench } from "../telemetry/metrics/fixture.ts";

const text = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");
const { metrics } = bench();
afterAll(() => metrics.close());

const rows = [...text.matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \| (.+) \|$/gm)].map(([, name, type, labels, help]) => ({
  name,
  type,
  labels: [...(labels as string).matchAll(/`(\w+)`/g)].map((match) => match[1] as string).sort(),
  help,
}));
const served = metrics
  .describe()
  .map(({ name, type, labels, help }) => ({ name, type, labels: [...labels].sort(), help }));

describe("docs/metrics.md", () => {
  it("names every metric that is served, and no other", () => {
    expect(rows.map((row) => row.name).sort()).toEqual(served.map((metric) => metric.name).sort());
  });

  it.each(served)("gives type, labels and help of $name as they are served", (metric) => {
    expect(rows.find((row) => row.name === metric.name)).toEqual(metric);
  });
});
