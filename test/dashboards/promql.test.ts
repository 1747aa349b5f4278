import { expect, it } from "vitest";
import { committedDashboards, interpolated, queriesOf } from "../support/dashboards.ts";
import { promtool } from "../support/promtool.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** As Grafana puts them in with everything chosen. */
const VALUES = { job: ".+", instance: ".+", profile: ".+", model: ".+", __rate_interval: "1m" };

const expressions = committedDashboards().flatMap(({ file, dashboard }) => [
  ...queriesOf(dashboard).map(({ panel, refId, expr }) => ({ of: `${file} ${panel.title} ${refId}`, expr })),
  ...dashboard.annotations.list.flatMap(({ name, expr }) =>
    expr === undefined ? [] : [{ of: `${file} annotation ${name}`, expr }],
  ),
]);

/** The expressions as recording rules, so that promtool reads them. JSON is YAML. */
function check(all: typeof expressions) {
  using folder = temporaryFolder();
  const rules = all.map(({ expr }, at) => ({ record: `panel:query:${at}`, expr: interpolated(expr, VALUES) }));
  const file = folder.write("rules.json", JSON.stringify({ groups: [{ name: "panels", rules }] }));
  return promtool(["check", "rules", file], "");
}

it("promtool reads every query and annotation", () => {
  expect(expressions.length).toBeGreaterThan(120);
  expect(expressions.filter(({ expr }) => /\$/.test(interpolated(expr, VALUES)))).toEqual([]);
  const { ran, status, output } = check(expressions);
  if (ran) expect({ status, output }).toMatchObject({ status: 0 });
});

it("promtool refuses one that is broken", () => {
  const { ran, status } = check([{ of: "", expr: "sum(rate(contextd_alerts_total[1m])" }]);
  if (ran) expect(status).not.toBe(0);
});
