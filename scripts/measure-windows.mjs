// Measures what a change of windows loses: recorded runs are played window by window, and at each crossing it is counted
// how much of what the next ten turns need of the history still stands in the context. The same is counted at the same
// turns of the same runs for policies without windows, and for a change that carries nothing but recent units.
//
//   node scripts/measure-windows.mjs [--runs PATH]... [--window LIST] [--sample N] [--settings JSON]
//
// Needed values and recalls are those of the replay (docs/replay.md); costs are relative to the run without management.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { builtIn } from "../dist/built-in.js";
import { NO_SOURCES } from "../dist/config/index.js";
import { openNeedModel } from "../dist/need-models.js";
import { openConfig } from "../dist/open-config.js";
import { readBackgroundVocabulary } from "../dist/replay/background-vocabulary.js";
import { estimate } from "../dist/replay/bootstrap.js";
import { messageTokens, REPLAY_MODEL, replayModel } from "../dist/replay/counting.js";
import { CrossingRecall } from "../dist/replay/crossings.js";
import { managedContender } from "../dist/replay/managed.js";
import { Measure, unboundedCost } from "../dist/replay/measure.js";
import { plainSliding } from "../dist/replay/peers/plain-sliding.js";
import { prepareRun } from "../dist/replay/prepared-run.js";
import { parseRun } from "../dist/replay/recorded-run.js";
import { parseWindow } from "../dist/replay/windows.js";
import { ModelCatalogue, relativePrices, TokenCounter } from "../dist/tokens/index.js";

const RUNS = fileURLToPath(new URL("../../shared/transcripts", import.meta.url));
const { values: flags } = parseArgs({
  options: {
    runs: { type: "string", multiple: true, default: [RUNS] },
    window: { type: "string", default: "10%,16k" },
    sample: { type: "string", default: "1" },
    settings: { type: "string", multiple: true, default: [] },
  },
});

/** Windows smaller than this hold too few messages. */
const LEAST_WINDOW = 4000;
/** System prompt and task stand in every window: it holds so many times their tokens. */
const PINNED_ROOM = 2.5;
/** A window binds when the run is this many times its size. */
const BINDING = 1.25;
/** Where a session acts that frees nothing within a window. */
const FULL = 0.93;
const WINDOWS = { eviction: { policy: "none" }, cross_window: { enabled: true } };

const { config, plugins } = await openConfig(NO_SOURCES, builtIn);
const counter = new TokenCounter({ tokenizer: config.tokenizer, workerUrl: null });
const catalogue = new ModelCatalogue({ ...config.models, [REPLAY_MODEL]: replayModel("o200k_base", null) });
const parts = { config, plugins, catalogue, counter, needModel: openNeedModel(config) };
const prices = relativePrices(null);

const windowed = (name, settings) =>
  managedContender(name, parts, { settings: { ...WINDOWS, ...settings }, actsAt: FULL });
const contenders = [
  windowed("windows", {}),
  ...flags.settings.map((text) => windowed(`windows ${text}`, JSON.parse(text))),
  managedContender("default policy", parts, { settings: {} }),
  plainSliding,
  windowed("recent units alone", { ledger: { enabled: false }, compaction: { summarizer: "none" } }),
];

const files = flags.runs
  .flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name.endsWith(".jsonl"))
          .sort()
          .map((name) => join(path, name))
      : [path],
  )
  .filter((_, index) => index % Number(flags.sample) === 0);

const rows = [];
const skipped = {};
for (const file of files) {
  const run = prepareRun(parseRun(readFileSync(file, "utf8"), file), {
    format: "openai",
    background: readBackgroundVocabulary(),
    tokensOf: (format) => messageTokens("o200k_base", format, { counter, catalogue }),
  });
  const cost = unboundedCost(run, prices);
  for (const label of flags.window.split(",")) {
    const share = parseWindow(label).tokensOf(run.tokens);
    const window = Math.max(share, LEAST_WINDOW, Math.ceil(PINNED_ROOM * run.pinnedTokens));
    if (run.tokens < BINDING * window) {
      skipped[label] = (skipped[label] ?? 0) + 1;
      continue;
    }
    const task = run.recorded.task ?? run.recorded.promptKey;
    const terms = { window, prices, unboundedCost: cost };
    let crossings = null;
    for (const contender of contenders) {
      const played = await play(run, contender, terms);
      crossings ??= played.crossings;
      const recall = new CrossingRecall();
      const after = [];
      // The reference's crossings; a change of windows that acts at other turns is measured at its own.
      for (const request of played.crossings.length > 0 ? played.crossings : crossings) {
        recall.add(run, request, played.readings[request]);
        after.push(played.readings[request].reduce((sum, { tokens }) => sum + tokens, 0) / window);
      }
      rows.push({ label, policy: contender.name, task, recall, after, figures: played.figures, window, run });
    }
  }
}

async function play(run, contender, terms) {
  const measure = new Measure(run, terms);
  const readings = [];
  const crossings = [];
  for await (const { context, ids, edits, opensWindow } of contender.play(run, terms.window)) {
    const own = run.readings.of(context);
    if (opensWindow) crossings.push(readings.length);
    readings.push(own);
    measure.add({ readings: own, ids, edits });
  }
  return { crossings, readings, figures: measure.figures() };
}

const shown = (value) => (value === null || value === undefined ? "" : value.toFixed(3));
const withInterval = (found) => (found ? `${shown(found.mean)} [${shown(found.low)}, ${shown(found.high)}]` : "");
for (const label of flags.window.split(",")) {
  const table = {};
  for (const { name } of contenders) {
    const own = rows.filter((row) => row.label === label && row.policy === name);
    const mean = (figure) =>
      estimate(
        own.flatMap((row) => {
          const value = figure(row);
          return value === null ? [] : [{ task: row.task, value }];
        }),
      );
    const sum = (figure) => own.reduce((total, row) => total + figure(row), 0);
    const all = own.flatMap(({ after }) => after);
    table[name] = {
      runs: own.length,
      crossings: all.length,
      "line after": withInterval(mean(({ recall }) => recall.line.share)),
      "value after": shown(mean(({ recall }) => recall.value.share)?.mean),
      "grounded after": shown(mean(({ recall }) => recall.grounded.share)?.mean),
      "all crossings": shown(sum(({ recall }) => recall.line.found) / sum(({ recall }) => recall.line.needed)),
      "of W": shown(all.reduce((total, each) => total + each, 0) / all.length),
      "line, whole run": shown(mean(({ figures }) => figures.line)?.mean),
      cost: shown(mean(({ figures }) => figures.cost)?.mean),
    };
  }
  process.stdout.write(`W ${label}: ${skipped[label] ?? 0} runs left out, as W does not bind\n`);
  console.table(table);
}
