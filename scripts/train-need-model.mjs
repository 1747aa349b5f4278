// Learns the need model of the ledger from recorded runs, and measures it on runs that it has not seen.
// What it does and how to use the result is told in docs/need-model.md.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SingleBar } from "cli-progress";
import { builtIn } from "../dist/built-in.js";
import { NO_SOURCES } from "../dist/config/index.js";
import { openConfig } from "../dist/open-config.js";
import { readBackgroundVocabulary } from "../dist/replay/background-vocabulary.js";
import { COUNTS } from "../dist/replay/count-names.js";
import { messageTokens, REPLAY_MODEL, replayModel } from "../dist/replay/counting.js";
import { parseWindow } from "../dist/replay/windows.js";
import { ModelCatalogue, TokenCounter } from "../dist/tokens/index.js";
import {
  ablate,
  familySummariesOf,
  readRuns,
  summariesOf,
  TRAINING_SETTINGS,
  Trainer,
  VARIANTS,
  withProvenance,
} from "../dist/training/index.js";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const BUILTIN = fileURLToPath(new URL("../src/ledger/need-model.json", import.meta.url));
const RUNS = fileURLToPath(new URL("../../shared/transcripts", import.meta.url));

const HELP = `usage: npm run train-need-model -- [options]

Learns from recorded runs which lines an agent will need again, measures that on runs held out, by task and by family,
and writes the model with what it was learned from.

  --runs PATH        runs, or a folder of runs (*.jsonl); repeatable (default ../shared/transcripts)
  --out FILE         where the model goes (default src/ledger/need-model.json)
  --check            writes nothing: tells whether --out holds the model that these runs give (exit code 1 if not)
  --held-out LIST    task, family or none (default task,family)
  --window LIST      windows that held-out runs are played at (default 25%,16k)
  --ablate           writes nothing: the figures of the model with one thing changed at a time
  --count ENCODING   how tokens are counted: ${COUNTS.join(", ")} (default ${COUNTS[0]})
  --help

Exit codes: 0; 1 when --check finds another model; 2 usage, or runs that cannot be read.
`;

class UsageError extends Error {}

function readFlags() {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", multiple: true, default: [RUNS] },
      out: { type: "string", default: BUILTIN },
      check: { type: "boolean", default: false },
      "held-out": { type: "string", default: "task,family" },
      window: { type: "string", default: "25%,16k" },
      ablate: { type: "boolean", default: false },
      count: { type: "string", default: COUNTS[0] },
      help: { type: "boolean", default: false },
    },
  });
  const heldOut = values["held-out"] === "none" ? [] : values["held-out"].split(",");
  const wrong = heldOut.find((by) => by !== "task" && by !== "family");
  if (wrong !== undefined) throw new UsageError(`--held-out ${wrong}: choose from task, family, none.`);
  if (!COUNTS.includes(values.count))
    throw new UsageError(`--count ${values.count}: choose from ${COUNTS.join(", ")}.`);
  return { ...values, heldOut, windows: values.window.split(",").map(parseWindow) };
}

/** The records at the paths, read whole. */
function readTexts(paths) {
  const files = paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new UsageError(`There is no ${path}: name recorded runs with --runs PATH.`);
    if (!found.isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => name.endsWith(".jsonl"));
    return names.map((name) => join(path, name));
  });
  if (files.length === 0) throw new UsageError(`There is no run (*.jsonl) in ${paths.join(", ")}.`);
  return files.map((name) => ({ name, text: readFileSync(name, "utf8") }));
}

/** Shows how far a step is, on a terminal. `work` is given what to call after each of `total` parts. */
async function withProgress(label, total, work) {
  const bar = new SingleBar({ format: `${label} {bar} {value}/{total}`, stream: process.stderr, noTTYOutput: false });
  if (process.stderr.isTTY) bar.start(total, 0);
  else process.stderr.write(`${label}\n`);
  try {
    return await work(() => bar.increment());
  } finally {
    bar.stop();
  }
}

const share = (value) => (value === null ? "-" : value.toFixed(3));

function printFigures(label, summaries) {
  const figures = Object.entries(summaries).map(
    ([window, { runs, line, far, grounded, cost }]) =>
      `${window} (${runs} runs) line ${share(line)} far ${share(far)} grounded ${share(grounded)} cost ${share(cost)}`,
  );
  process.stdout.write(`${label.padEnd(24)} ${figures.join(" | ") || "no run fits"}\n`);
}

async function main() {
  const flags = readFlags();
  if (flags.help) return process.stdout.write(HELP);
  const { config, plugins } = await openConfig(NO_SOURCES, builtIn);
  const catalogue = new ModelCatalogue({ [REPLAY_MODEL]: replayModel(flags.count, null) });
  const counter = new TokenCounter({ tokenizer: config.tokenizer, workerUrl: null });
  const parts = { config, plugins, catalogue, counter };
  const texts = readTexts(flags.runs);
  process.stderr.write(`Reading ${texts.length} runs\n`);
  const runs = readRuns(texts, {
    format: "openai",
    background: readBackgroundVocabulary(),
    tokensOf: (format) => messageTokens(flags.count, format, parts),
  });
  const trainer = new Trainer(runs, TRAINING_SETTINGS);
  await withProgress("Collecting lines", runs.length, (onStep) => trainer.collect(onStep));
  const { all, positive } = trainer.rows;
  process.stderr.write(`${all} lines, of which ${positive} were needed again\n`);
  if (positive === 0)
    throw new UsageError("No line of these runs was needed again after it had gone: give longer runs.");
  if (flags.ablate) return ablateAll(trainer, flags, parts);
  const crossValidation = {};
  for (const by of flags.check ? [] : flags.heldOut) {
    const played = await withProgress(`Playing runs held out by ${by}`, runs.length, (onStep) =>
      trainer.crossValidate(by, flags.windows, parts, { onStep }),
    );
    crossValidation[by] = summariesOf(played);
    printFigures(`held out by ${by}`, crossValidation[by]);
    for (const [family, summaries] of Object.entries(familySummariesOf(played))) printFigures(`  ${family}`, summaries);
  }
  const model = trainer.fit();
  if (flags.check) return check(model, flags.out);
  const settings = { version, settings: TRAINING_SETTINGS, count: flags.count, crossValidation };
  writeFileSync(flags.out, `${jsonOf(withProvenance(model, trainer, settings))}\n`);
  process.stdout.write(`${flags.out}: ${Object.keys(model.weights).length} weights\n`);
}

/** Indented, lists of numbers on one line, as the formatter has it. */
function jsonOf(value) {
  return JSON.stringify(value, null, 2).replace(
    /\[\s+([\d.,\s]+?)\s+\]/g,
    (_, items) => `[${items.replace(/\s+/g, " ")}]`,
  );
}

async function ablateAll(trainer, { heldOut, windows }, parts) {
  for (const by of heldOut) {
    process.stdout.write(`held out by ${by}\n`);
    await withProgress("Playing", VARIANTS.length * trainer.runs.length, async (onStep) => {
      for await (const { name, summaries } of ablate(trainer, by, windows, parts, onStep))
        printFigures(name, summaries);
    });
  }
}

/** Whether the file weighs as the model does. */
function check(model, path) {
  const file = JSON.parse(readFileSync(path, "utf8"));
  const weights = (of) => JSON.stringify([of.bias, Object.entries(of.weights).sort()]);
  if (weights(file) === weights(model)) return process.stdout.write(`${path} is the model of these runs.\n`);
  process.stderr.write(`${path} is not the model of these runs: train it anew.\n`);
  process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError) && error.reason === undefined && error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
