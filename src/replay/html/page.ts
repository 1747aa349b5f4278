import type { PolicyResult } from "../policy-result.ts";
import type { ReplayReport } from "../report.ts";
import { type Bar, barTable } from "./bar-table.ts";
import { figuresTable } from "./figures-table.ts";
import { type Look, lookOf } from "./marker.ts";
import { html, type Markup } from "./markup.ts";
import { method } from "./method.ts";
import { share } from "./number-text.ts";
import { scatter } from "./scatter.ts";
import { STYLE } from "./style.ts";
import { shownRuns, timeline } from "./timeline.ts";

export interface PageOptions {
  /** Run whose contexts are drawn; null: for each policy the one with the least line recall. */
  readonly run: string | null;
}

/** Sources of regret that have a column. */
const MOST_SOURCES = 6;

/** The report as one HTML document that needs nothing else: no network, no script. Names of runs and tools are text. */
export function replayPage(report: ReplayReport, { run }: PageOptions): string {
  const { policies, windows, runs, tasks, failures } = report;
  const lookFor = (policy: string) => lookOf(policies.indexOf(policy));
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>contextd replay: ${runs} runs</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>What ${policies.length === 1 ? "one policy keeps" : `${policies.length} policies keep`} of what is needed again</h1>
<p class="lede faint">contextd replay, ${runs} runs of ${tasks} tasks</p>
${windows.map((window) => windowSection(report, window, { run, lookFor }))}
${method(report)}
${failures.length === 0 ? null : html`<h2>Not replayed</h2><ul>${failures.map(({ path, message }) => html`<li>${path}: ${message}</li>`)}</ul>`}
</main>
</body>
</html>
`;
  return text;
}

interface SectionOptions extends PageOptions {
  readonly lookFor: (policy: string) => Look;
}

function windowSection(report: ReplayReport, window: string, { run, lookFor }: SectionOptions): Markup {
  const results = report.results.filter((result) => result.window === window);
  const skipped = report.skipped
    .filter((one) => one.window === window)
    .map(({ reason, runs }) => `${runs} (${reason.replaceAll("_", " ")})`)
    .join(", ");
  const left = skipped === "" ? null : html`<p class="faint">Runs left out: ${skipped}.</p>`;
  if (results.length === 0) return html`<h2>Window ${window}</h2><p>No run fits.</p>${left}`;
  const shown = shownRuns(report.replays, window, run);
  return html`<h2>Window ${window}: ${results[0]?.runs ?? 0} runs</h2>
<p>${headline(results)}</p>
${left}
<div class="pair"><div><h3>Line recall against cost: up and to the left is better</h3>${scatter(results, lookFor)}</div>
<div><h3>Line recall by family</h3>${familyBars(results, lookFor)}</div></div>
<h3>Figures</h3>
${figuresTable(results, lookFor)}
${regretBars(results, lookFor)}
<h3>Size of the context at each request${run === null ? ": the run with the least recall of each policy" : ""}</h3>
<p class="faint">Bands: the zones of a session that acts at W (dashed). Ticks below: edits that lost the provider's cache.</p>
${shown.length === 0 ? html`<p>The run ${run ?? ""} was not replayed at this window.</p>` : html`<div class="pair">${shown.map((row) => timeline(row, lookFor(row.policy)))}</div>`}`;
}

/** The first policy in a sentence. */
function headline([first]: readonly PolicyResult[]): Markup | null {
  if (first === undefined) return null;
  return html`<b>${first.policy}</b> has ${share(first.line?.mean)} of what is needed again on whole lines, at ${share(first.cost?.mean)} of the cost of no management.`;
}

function familyBars(results: readonly PolicyResult[], lookFor: (policy: string) => Look): Markup {
  const families = [...new Set(results.flatMap((result) => Object.keys(result.families)))].sort();
  const runsOf = (family: string) => results[0]?.families[family]?.runs ?? 0;
  return barTable({
    corner: "policy",
    columns: families.map((family) => `${family} (${runsOf(family)})`),
    rows: results.map(({ policy, families: own }) => ({
      name: policy,
      look: lookFor(policy),
      bars: families.map((family): Bar => {
        const line = own[family]?.line ?? null;
        return { length: line, text: share(line) };
      }),
    })),
  });
}

/** Of what is needed, what is missed soon after it left, by the tool that had brought it. */
function regretBars(results: readonly PolicyResult[], lookFor: (policy: string) => Look): Markup | null {
  const weights = new Map<string, number>();
  for (const [source, { weight }] of results.flatMap(({ regret }) => Object.entries(regret.by_source))) {
    weights.set(source, (weights.get(source) ?? 0) + weight);
  }
  const sources = [...weights].sort(([, a], [, b]) => b - a).map(([source]) => source);
  if (sources.length === 0) return null;
  const shown = sources.slice(0, MOST_SOURCES);
  const most = Math.max(
    ...results.flatMap(({ regret }) => shown.map((source) => regret.by_source[source]?.weight ?? 0)),
  );
  const table = barTable({
    corner: "policy",
    columns: shown,
    rows: results.map(({ policy, regret }) => ({
      name: policy,
      look: lookFor(policy),
      bars: shown.map((source): Bar => {
        const weight = regret.by_source[source]?.weight ?? 0;
        return { length: weight / most, text: weight.toFixed(1) };
      }),
    })),
  });
  return html`<h3>Regret: needed weight missed within ten turns, by where it last stood</h3>${table}`;
}
