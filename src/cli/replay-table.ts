import type { PolicyResult } from "../replay/policy-result.ts";
import type { ReplayReport } from "../replay/report.ts";
import { columns, share, withInterval } from "./columns.ts";

/** The report as tables for people: one a window, and one by family. */
export function replayTables(report: ReplayReport): string {
  const { runs, tasks, count, format, policies } = report;
  const blocks = [`${runs} runs of ${tasks} tasks; tokens by ${count}; messages in the format ${format}.`];
  for (const window of report.windows) {
    const results = report.results.filter((result) => result.window === window);
    if (results.length === 0) blocks.push(`Window ${window}: no run fits.`);
    else blocks.push(windowTable(window, results, policies[0] as string), familyTable(window, results));
  }
  for (const { window, reason, runs: left } of report.skipped) {
    blocks.push(`At ${window}, ${left} runs are left out: ${reason.replaceAll("_", " ")}.`);
  }
  return `${blocks.join("\n\n")}\n`;
}

function windowTable(window: string, results: readonly PolicyResult[], reference: string): string {
  const head = [
    "policy",
    "line [95 %]",
    "value",
    "far",
    "grounded",
    "cost",
    "regret",
    "hits",
    "sent",
    "edited",
    "payback",
    "filled",
    "peak",
    `line against ${reference}`,
    "same",
  ];
  const rows = results.map((result) => [
    result.policy,
    withInterval(result.line),
    share(result.value?.mean),
    share(result.far?.mean),
    share(result.grounded?.mean),
    share(result.cost?.mean),
    share(result.regret_share?.mean),
    share(result.prefix_hit_share),
    `${(result.tokens_sent / 1e6).toFixed(2)}M`,
    String(result.edited_requests),
    share(result.payback.ratio),
    share(result.filled?.mean),
    share(result.peak),
    result.difference === null ? "" : withInterval(result.difference.line, true),
    sameTurns(result.difference),
  ]);
  return `Window ${window}, ${results[0]?.runs ?? 0} runs\n${columns([head, ...rows])}`;
}

/** Share of the turns behind the first edit in which both policies sent the same context. */
function sameTurns(difference: PolicyResult["difference"]): string {
  if (difference === null || difference.compared_turns === 0) return "";
  return share(difference.same_turns / difference.compared_turns);
}

/** Line recall and cost of each policy in each family. */
function familyTable(window: string, results: readonly PolicyResult[]): string {
  const families = [...new Set(results.flatMap((result) => Object.keys(result.families)))].sort();
  const head = ["line / cost", ...families.map((family) => `${family} (${results[0]?.families[family]?.runs ?? 0})`)];
  const rows = results.map((result) => [
    result.policy,
    ...families.map((family) => {
      const own = result.families[family];
      return own === undefined ? "" : `${share(own.line)} / ${share(own.cost)}`;
    }),
  ]);
  return `Window ${window}, by family (runs)\n${columns([head, ...rows])}`;
}
