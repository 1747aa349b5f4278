import { SingleBar } from "cli-progress";
import { Command, Option } from "commander";
import type { Environment } from "../config/index.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../model/message.ts";
import { type BuiltInStrategies, openConfig } from "../open-config.ts";
import { COUNTS, type CountName } from "../replay/count-names.ts";
import { DEFAULT_POLICIES } from "../replay/default-policies.ts";
import { configSources } from "./config-sources.ts";
import { EXIT_CODES_HELP } from "./exit-code.ts";
import { collect } from "./list-option.ts";
import { runFiles } from "./run-files.ts";
import { requireWritable, writeWhole } from "./written-file.ts";

interface Dependencies {
  readonly environment: Environment;
  readonly builtIn: BuiltInStrategies;
  readonly process: { readonly stderrIsTerminal: boolean };
  stdout(text: string): void;
  stderr(text: string): void;
}

interface Flags {
  readonly policy: readonly string[];
  readonly window: readonly string[];
  readonly count: CountName;
  readonly model?: string;
  readonly format?: MessageFormatName;
  readonly config?: string;
  readonly json?: boolean;
  readonly html?: string;
  readonly run?: string;
}

const DEFAULT_WINDOWS = ["25%", "16k"];
/** The page of an earlier replay is replaced. */
const HTML = { option: "html", overwrites: true };

/** `contextd replay PATH...`: what policies would have kept of recorded runs, and at what cost. */
export function replayCommand(dependencies: Dependencies): Command {
  return new Command("replay")
    .summary("measure policies on recorded runs")
    .description(
      "Replays recorded runs through the daemon's own core on a virtual clock, under each policy at each window, and " +
        "measures how much of what the agent needed again was still in its context, and what the prompts cost. A run " +
        "is JSONL of OpenAI or Anthropic messages, one a line, with a line about the run before them if there is one. " +
        "Changes nothing. The measure is told in docs/replay.md.",
    )
    .argument("<path...>", "runs, or folders of runs (*.jsonl)")
    .option(
      "-p, --policy <name>",
      `policy, repeatable (default: the config's own, ${DEFAULT_POLICIES.join(", ")})`,
      collectPolicies,
      [],
    )
    .option(
      "-w, --window <size>",
      `window, repeatable: 25% of the run, 16k, 8000, own of the run (default: ${DEFAULT_WINDOWS.join(", ")})`,
      collect,
      [],
    )
    .addOption(new Option("--count <encoding>", "how tokens are counted").choices(COUNTS).default(COUNTS[0]))
    .option(
      "--model <name>",
      "model whose cache prices cost and payback are reckoned with; default: 0.1 and 1.25 of a fresh token",
    )
    .addOption(
      new Option("--format <format>", "message format of the sessions; default: as recorded").choices(MESSAGE_FORMATS),
    )
    .option("-c, --config <file>", "the config file whose settings the sessions have (or set CONTEXTD_CONFIG)")
    .option("--json", "one JSON document instead of the tables")
    .option("--html <file>", "also write a report with plots: one file that needs nothing else")
    .option("--run <id>", "run whose contexts the report draws; default: for each policy the one with the least recall")
    .addHelpText(
      "after",
      `
A policy is an eviction policy of the config; profile:NAME, with all settings of that profile; a peer, which runs
without contextd (plain_sliding, plain_fifo, plain_lru, published_hybrid, keep_last_10, clear_results,
clear_results_half, head_tail_sliding, plain_ledger, plain_none); or a bound, which sees the future (oracle_units,
oracle_results, oracle_ledger, and oracle, the best of them for each run).
The first policy is the one that the others are compared with.

Examples:
  contextd replay runs/
  contextd replay runs/ --policy hybrid --policy plain_sliding --window 16k
  contextd replay runs/ --policy fifo,profile:research,oracle --html report.html
  contextd replay runs/ --config contextd.yaml --json > report.json
${EXIT_CODES_HELP}`,
    )
    .action((paths: string[], flags: Flags) => replay(paths, flags, dependencies));
}

async function replay(given: readonly string[], flags: Flags, dependencies: Dependencies): Promise<void> {
  const { environment, builtIn, stdout, stderr } = dependencies;
  const paths = runFiles(given);
  if (flags.html !== undefined) requireWritable(flags.html, HTML);
  const sources = configSources(flags.config, environment);
  const { config, plugins } = await openConfig(sources, builtIn);
  const options = {
    policies: [...new Set(flags.policy.length > 0 ? flags.policy : [config.eviction.policy, ...DEFAULT_POLICIES])],
    windows: flags.window.length > 0 ? [...new Set(flags.window)] : DEFAULT_WINDOWS,
    count: flags.count,
    model: flags.model ?? null,
    format: flags.format ?? null,
  };
  // Loaded only here: the other commands start without the manager's modules.
  const { replayFiles } = await import("./replay-runs.ts");
  const bar = dependencies.process.stderrIsTerminal
    ? new SingleBar({ format: "{bar} {value}/{total} runs, {eta_formatted} left", stream: process.stderr })
    : null;
  bar?.start(paths.length, 0);
  let outcomes: Awaited<ReturnType<typeof replayFiles>>;
  try {
    const parts = { config, plugins };
    outcomes = await replayFiles({ paths, options, sources, parts, onDone: () => bar?.increment() });
  } finally {
    bar?.stop();
  }
  const { reportOf } = await import("../replay/report.ts");
  const runs = outcomes.flatMap((outcome) => ("answer" in outcome ? [outcome.answer] : []));
  const failures = outcomes.flatMap((outcome) => ("failure" in outcome ? [outcome.failure] : []));
  const report = reportOf(options, runs, failures);
  if (flags.json === true) stdout(`${JSON.stringify(report)}\n`);
  else {
    const { replayTables } = await import("./replay-table.ts");
    stdout(replayTables(report));
  }
  if (flags.html !== undefined) {
    const { replayPage } = await import("../replay/html/page.ts");
    writeWhole(flags.html, replayPage(report, { run: flags.run ?? null }), HTML);
  }
  for (const { path, message } of failures) stderr(`${path}: ${message}\n`);
  if (failures.length > 0) throw new Error(`${failures.length} of ${paths.length} runs could not be replayed`);
}

/** The best of the bounds is written `oracle*` elsewhere. */
function collectPolicies(value: string, before: readonly string[]): readonly string[] {
  return collect(value, before).map((name) => name.replace(/\*$/, ""));
}
