import type { AgentReport, DemoEvent } from "../demo/index.ts";
import { ZONES } from "../model/zone.ts";
import { COLOURS, count, painted, percent, SHAPES, tokens } from "./figures.ts";

/** What happens in the demo, one line each. */
export function demoLine(event: DemoEvent, colour: boolean): string {
  const [mark, words] = wordsOf(event);
  const line = `${mark} ${event.sessionId.padEnd(20)} ${words}`;
  return colour && event.kind === "zone" ? painted(COLOURS[event.to], line) : line;
}

function wordsOf(event: DemoEvent): readonly [mark: string, words: string] {
  switch (event.kind) {
    case "opened":
      return ["·", `opened: ${event.model}, window ${tokens(event.maxTokens)}, profile ${event.profile}`];
    case "zone":
      return [
        SHAPES[event.to],
        `${event.from} to ${event.to}, ${percent(event.utilization)} (${tokens(event.tokens)} tokens)`,
      ];
    case "pass":
      return ["↓", `${event.action}: ${count(event.edits, "edit")} freed ${tokens(event.tokensFreed)} tokens`];
    case "cut":
      return [
        "✂",
        `cut a result of ${event.tool}: ${tokens(event.tokensBefore)} to ${tokens(event.tokensAfter)} tokens`,
      ];
    case "overflow":
      return [
        "!",
        `the provider refused the context, attempt ${event.attempt}: ${event.action} with ${tokens(event.tokens)} tokens`,
      ];
    case "closed":
      return ["·", `closed after ${count(event.turns, "turn")}, ${tokens(event.tokensFreed)} tokens freed`];
    case "failed":
      return ["✗", `failed: ${event.reason}`];
  }
}

const COLUMNS: readonly (readonly [title: string, value: (report: AgentReport) => string])[] = [
  ["session", ({ sessionId }) => sessionId],
  ["model", ({ member }) => member.model],
  ["format", ({ member }) => member.format],
  ["window", ({ member }) => tokens(member.window)],
  ["turns", ({ turns }) => String(turns)],
  ["zones", ({ zones }) => ZONES.map((zone) => (zones.includes(zone) ? SHAPES[zone] : " ")).join("")],
  ["peak", ({ peak }) => percent(peak)],
  ["passes", ({ passes }) => String(passes)],
  ["freed", ({ tokensFreed }) => tokens(tokensFreed)],
  ["overflows", ({ overflows }) => String(overflows)],
  ["recalls", ({ recalls }) => String(recalls)],
  ["outcome", ({ outcome }) => outcome],
];

/** How the sessions went, as a table. */
export function demoTable(reports: readonly AgentReport[]): string {
  const rows = [COLUMNS.map(([title]) => title), ...reports.map((report) => COLUMNS.map(([, value]) => value(report)))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] as number)).join("  "));
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
