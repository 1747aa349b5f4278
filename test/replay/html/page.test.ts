import { describe, expect, test } from "vitest";
import { NO_PLUGINS } from "../../../src/config/index.ts";
import { replayPage } from "../../../src/replay/html/page.ts";
import { Replayer } from "../../../src/replay/replay.ts";
import { reportOf } from "../../../src/replay/report.ts";
import { configWith } from "../../config/config-with.ts";
import { LONG_RUN } from "../prepared.ts";

const options = {
  policies: ["plain_fifo", "oracle"],
  windows: ["6k", "100k"],
  count: "chars",
  model: null,
  format: null,
} as const;
const one = await new Replayer(options, { config: configWith(), plugins: NO_PLUGINS }).replay(LONG_RUN, "long-run");

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>\u202e`;

describe("the report as a page", () => {
  const page = replayPage(reportOf(options, [one, { ...one, id: "other" }], []), { run: null });

  test("has the figures of each policy with intervals, the plots and the method", () => {
    expect(page).toContain("Window 6k: 2 runs");
    const line = one.replayed[0]?.figures.line?.toFixed(3);
    expect(page).toContain(`<b>plain_fifo</b> has ${line} of what is needed again`);
    expect(page).toMatch(/plain_fifo: line recall 0\.\d{3} \[0\.\d{3}, 0\.\d{3}\], cost 0\.\d{3}/);
    expect(page).toContain("made (2)");
    expect(page.match(/<polyline/g)).toHaveLength(2);
    expect(page).toContain("oracle_ledger 2");
    expect(page).toContain("Cost</b>: 0.1 for a token in the common prefix");
    expect(page).toContain("<h2>Window 100k</h2><p>No run fits.</p>");
    expect(page).toContain("Runs left out: 2 (window does not bind).");
  });

  test("needs nothing from elsewhere and runs nothing", () => {
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|href=|src=|\son\w+=/i);
    expect(page).not.toMatch(/https?:/);
  });

  test("is one element inside the other, all of them closed", () => {
    const open: string[] = [];
    for (const [, slash, name = "", rest = ""] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)([^>]*)>/gi)) {
      if (slash === "/") expect(open.pop(), `before ${name}`).toBe(name);
      else if (!rest.endsWith("/") && !["meta", "br"].includes(name)) open.push(name);
    }
    expect(open).toEqual([]);
  });

  test("has no figure that is not a number", () => {
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/);
  });

  test("draws the run that is asked for, and tells when it is not there", () => {
    const report = reportOf(options, [one, { ...one, id: "other" }], []);
    expect(replayPage(report, { run: "other" })).toContain(`<span class="id">other</span>`);
    expect(replayPage(report, { run: "other" })).not.toContain(`<span class="id">long-run</span>`);
    expect(replayPage(report, { run: "third" })).toContain("The run third was not replayed at this window.");
  });

  test("makes names of runs, families, tools and files inert", () => {
    const bySource = new Map([
      [HOSTILE, { needs: 1, weight: 1 }],
      ["__proto__", { needs: 1, weight: 1 }],
    ]);
    const hostile = {
      ...one,
      id: HOSTILE,
      family: HOSTILE,
      replayed: one.replayed.map((own) => ({
        ...own,
        figures: { ...own.figures, regret: { needs: 2, weight: 2, bySource } },
      })),
    };
    const failure = { path: HOSTILE, reason: "invalid_params", message: `${HOSTILE} is no JSON.` };
    const text = replayPage(reportOf(options, [hostile, { ...hostile, family: "constructor" }], [failure]), {
      run: HOSTILE,
    });
    expect(text).toContain(
      "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=alert(2)&gt;\ufffd",
    );
    expect(text).not.toMatch(/<script|<img/);
    expect(text).not.toContain("\u202e");
    expect(text).toContain(">__proto__</th>");
  });
});
