import { writeYaml } from "../config/index.ts";
import { FIGURES, settingsOf, signed, type TuneReport } from "../tune/index.ts";
import { columns, share, withInterval } from "./columns.ts";

/** The report of a tuning for people: the search, the choice, and both on the held-back runs. */
export function tuneTables(report: TuneReport): string {
  const { training, held_back, changes } = report;
  const blocks = [
    `${training.runs} runs of ${training.tasks} tasks to train on, ${held_back.runs} of ${held_back.tasks} other tasks held back; ` +
      `windows ${report.windows.join(", ")}; tokens by ${report.count}.`,
    ...leftOutLines(report),
    searchLine(report),
    trainingTable(report),
  ];
  if (Object.keys(changes).length > 0) {
    blocks.push(`Chosen\n${indented(writeYaml(settingsOf(changes)))}`);
    blocks.push(comparisonTable(`Held back, all windows, ${held_back.all.runs} runs`, held_back.all));
  } else blocks.push(figuresTable(report));
  if (Object.keys(changes).length > 0) {
    for (const [window, comparison] of Object.entries(held_back.windows)) {
      blocks.push(comparisonTable(`Held back, window ${window}, ${comparison.runs} runs`, comparison));
    }
    blocks.push(familyTable(report));
  }
  blocks.push(report.sentence, ...beyondLines(report));
  return `${blocks.join("\n\n")}\n`;
}

type Comparison = TuneReport["held_back"]["all"];

/** A bound may stand in the way of something worth more than it: that is for the user to say. */
function beyondLines({ beyond }: TuneReport): string[] {
  if (beyond === null) return [];
  const { line, cost } = beyond.means;
  return [
    `Beyond the bounds, line recall ${share(line)} at cost ${share(cost)} was found on the training runs; --max-cost, --min-recall or --objective balanced would allow it:\n${indented(writeYaml(settingsOf(beyond.changes)))}`,
  ];
}

function leftOutLines({ left_out }: TuneReport): string[] {
  const reasons = Object.entries(left_out).map(([reason, runs]) => `${runs}: ${reason.replaceAll("_", " ")}`);
  return reasons.length === 0 ? [] : [`Runs left out, since they fit no window: ${reasons.join("; ")}.`];
}

function searchLine({ objective, tried, tried_on_all, seed, stopped }: TuneReport): string {
  const { prices, name, max_cost, min_recall } = objective;
  const worth =
    name === "balanced"
      ? `line recall less ${prices.cost} x cost`
      : name === "recall"
        ? "line recall"
        : "cost, less is better";
  const bounds = [
    ...(max_cost !== null ? [`cost at most ${max_cost}`] : name === "recall" ? ["cost at most yours"] : []),
    ...(min_recall !== null
      ? [`line recall at least ${min_recall}`]
      : name === "cost"
        ? ["line recall at least yours"]
        : []),
  ];
  const ended = stopped ? " Ended early." : "";
  return `Objective ${name} (${[worth, ...bounds].join("; ")}). Tried ${tried}, ${tried_on_all} of them on all training runs; seed ${seed}.${ended}`;
}

function trainingTable({ training, objective }: TuneReport): string {
  const row = (name: string, { line, cost, worth }: TuneReport["training"]["start"]) => [
    name,
    share(line),
    share(cost),
    share(worth),
  ];
  return `Training\n${columns([
    ["", "line", "cost", objective.name],
    row("yours", training.start),
    row("best", training.best),
    row("chosen", training.tuned),
  ])}`;
}

function comparisonTable(title: string, { start, tuned, difference }: Comparison): string {
  const rows = FIGURES.map((figure) => [
    figure,
    withInterval(start[figure]),
    withInterval(tuned[figure]),
    signed(difference[figure]),
  ]);
  return `${title}\n${columns([["", "yours [95 %]", "tuned", "difference"], ...rows])}`;
}

/** Where the start was chosen there is nothing to compare. */
function figuresTable({ held_back }: TuneReport): string {
  const named = Object.entries({ "all windows": held_back.all, ...held_back.windows });
  const rows = FIGURES.map((figure) => [figure, ...named.map(([, { start }]) => withInterval(start[figure]))]);
  return `Your settings, held back\n${columns([["", ...named.map(([name, { runs }]) => `${name} (${runs})`)], ...rows])}`;
}

function familyTable({ held_back }: TuneReport): string {
  const rows = Object.entries(held_back.families).map(([family, { runs, start, tuned, difference }]) => [
    family,
    String(runs),
    `${share(start.line?.mean)} / ${share(start.cost?.mean)}`,
    `${share(tuned.line?.mean)} / ${share(tuned.cost?.mean)}`,
    signed(difference.line),
    signed(difference.cost),
  ]);
  const head = ["line / cost", "runs", "yours", "tuned", "line difference", "cost difference"];
  return `Held back, by family\n${columns([head, ...rows])}`;
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  ");
}
