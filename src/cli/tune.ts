import { Command, Option } from "commander";
import { COUNTS } from "../replay/count-names.ts";
import { COST_PRICE, OBJECTIVES } from "../tune/objective.ts";
import { EXIT_CODES_HELP } from "./exit-code.ts";
import { collect } from "./list-option.ts";
import { atLeastOne, positive, positiveMinutes, properShare, wholeNumber } from "./number-options.ts";
import { DEFAULT_BUDGET_MINUTES, DEFAULT_TUNE_WINDOWS, type TuneDependencies, type TuneFlags } from "./tune-flags.ts";

/** `contextd tune PATH...`: searches settings on one part of recorded runs, and says what they are worth on the other. */
export function tuneCommand(dependencies: TuneDependencies): Command {
  return new Command("tune")
    .summary("search settings on recorded runs, and check them on others")
    .description(
      "Searches eviction policy, weights, trigger, depth and ledger on one part of your recorded runs, measures the " +
        "choice on the other part, whose tasks the search never saw, and says with 95 % intervals whether it beats the " +
        "settings you have. Writes a profile for the config file. Changes nothing else, calls no model. " +
        "Told in docs/tune.md; what a run is, in docs/replay.md.",
    )
    .argument("<path...>", "runs, or folders of runs (*.jsonl)")
    .option(
      "-w, --window <size>",
      `window, repeatable: 25% of the run, 16k, 8000 (default: ${DEFAULT_TUNE_WINDOWS.join(", ")})`,
      collect,
      [],
    )
    .option(
      "--budget-minutes <number>",
      `how long it may take, the report included (default: ${DEFAULT_BUDGET_MINUTES})`,
      positiveMinutes,
    )
    .addOption(
      new Option("--trials <number>", "settings to try, however long it takes: the same result each time")
        .argParser(atLeastOne)
        .conflicts("budgetMinutes"),
    )
    .addOption(
      new Option(
        "--objective <name>",
        "recall: most recall at no more cost than now; cost: least cost at no less recall; balanced: recall less cost at its price",
      )
        .choices(OBJECTIVES)
        .default("recall"),
    )
    .option("--cost-price <number>", "balanced: what cost 1, that of no management, is in recall", positive, COST_PRICE)
    .option("--max-cost <ratio>", "highest mean cost, 1: that of no management", positive)
    .option("--min-recall <share>", "least mean line recall", properShare)
    .option("--train-share <share>", "share of the tasks that is trained on", properShare, 0.5)
    .option("--seed <number>", "parts the runs and drives the search", wholeNumber, 1)
    .option("-s, --search <setting>", "search only this setting or section, repeatable: eviction.weights", collect, [])
    .option("-p, --policy <name>", "search only among these policies, repeatable", collect, [])
    .addOption(new Option("--count <encoding>", "how tokens are counted").choices(COUNTS).default(COUNTS[0]))
    .option("--model <name>", "model whose cache prices decide whether an early edit pays")
    .option("-o, --out <file>", "write the profile to this file")
    .option("--name <profile>", "name of the profile", "tuned")
    .option("--force", "overwrite the file")
    .option("-c, --config <file>", "the config file whose settings are compared with (or set CONTEXTD_CONFIG)")
    .option("--json", "one JSON document instead of the tables")
    .addHelpText(
      "after",
      `
Ctrl-C ends the search and reports the best so far; a second one exits at once.

Examples:
  contextd tune runs/ --out profile.yaml
  contextd tune runs/ --budget-minutes 30 --objective cost --min-recall 0.95
  contextd tune runs/ --trials 50 --search ledger --search eviction.target_utilization --json
${EXIT_CODES_HELP}`,
    )
    .action(async (paths: string[], flags: TuneFlags, command: Command) => {
      // Loaded only here: the other commands start without the manager's modules.
      const { runTuning } = await import("./tuning.ts");
      await runTuning({ paths, flags, command: typedCommand(command) }, dependencies);
    });
}

/** The command as it was typed, for the head of what it writes. */
function typedCommand({ parent }: Command): string {
  const typed = (parent as unknown as { readonly rawArgs?: readonly string[] } | null)?.rawArgs ?? ["tune"];
  return ["contextd", ...typed].map((word) => (/^[\w./:=%,@+-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}
