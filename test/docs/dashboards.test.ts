import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { committedDashboards } from "../support/dashboards.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const text = read("docs/dashboards.md");

it("docs/dashboards.md names every dashboard with its file, and no other", () => {
  const rows = [...text.matchAll(/^\| `(\w+\.json)` \| (.+?) \| .+ \|$/gm)].map(([, file, title]) => ({ file, title }));
  const byFile = (a: { file?: string | undefined }, b: { file?: string | undefined }) =>
    String(a.file).localeCompare(String(b.file));
  const committed = committedDashboards().map(({ file, dashboard }) => ({ file, title: dashboard.title }));
  expect(rows.sort(byFile)).toEqual(committed.sort(byFile));
});

it("docs/dashboards.md names the variables above the panels and of the environment", () => {
  const shown = committedDashboards()[0]?.dashboard.templating.list.filter(({ name }) => name !== "runbooks") ?? [];
  for (const { label } of shown) expect(text).toContain(label);
  const provisioned = read("config/grafana/provisioning/datasources/contextd.yaml");
  for (const [, name] of provisioned.matchAll(/: \$([A-Z]\w+)/g)) expect(text).toContain(`\`${name}\``);
});

it("docs/dashboards.md mounts the dashboards where the provider reads them", () => {
  const path = /path: (\S+)/.exec(read("config/grafana/provisioning/dashboards/contextd.yaml"))?.[1];
  expect(text).toContain(`| \`dashboards\` | \`${path}\` |`);
});
