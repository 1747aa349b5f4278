// Counting tokens: our counter against js-tiktoken's encoder, on tool output it has not seen and on the same again, and
// one megabyte of one character against a tenth of it. Ratios of CPU time measured in turn in one run; build first.
//
//   node benchmarks/counting.mjs [--json]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { tokenizers } from "../dist/tokens/registry.js";
import { TokenCounter } from "../dist/tokens/token-counter.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const TRANSCRIPTS = join(ROOT, "../shared/transcripts");
const ROUNDS = 5;
/** UTF-16 units a round. */
const ROUND_UNITS = 600_000;
const LONGEST_TEXT = 20_000;
const GOALS = { unseen: 5, seen: 15, megabyte: 15, event_loop: 2 };

/** Tool output of recorded runs where they are at hand, else this project's files and its compiler's messages. */
function* toolOutputs() {
  if (existsSync(TRANSCRIPTS)) {
    const files = readdirSync(TRANSCRIPTS).filter((name) => name.endsWith(".jsonl"));
    // Every seventh file, so that one round sees several families of runs.
    for (let i = 0; i < files.length; i++) {
      const lines = readFileSync(join(TRANSCRIPTS, files[(i * 7) % files.length]), "utf8").split("\n");
      for (const line of lines) {
        if (line === "") continue;
        const message = JSON.parse(line);
        if (message.role === "tool" && typeof message.content === "string") yield message.content;
      }
    }
  }
  const sources = ["src", "node_modules/@types", "node_modules/zod", "node_modules/express"];
  for (const folder of sources) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && /\.(?:ts|js|json|md)$/.test(entry.name)) {
        yield readFileSync(join(entry.parentPath, entry.name), "utf8");
      }
    }
  }
}

/** Disjoint sets of texts, one a round. */
function rounds() {
  const sets = [];
  const seen = new Set();
  let set = [];
  let units = 0;
  for (const output of toolOutputs()) {
    const text = output.slice(0, LONGEST_TEXT);
    if (text === "" || seen.has(text)) continue;
    seen.add(text);
    set.push(text);
    units += text.length;
    if (units < ROUND_UNITS) continue;
    sets.push(set);
    if (sets.length > ROUNDS) break;
    set = [];
    units = 0;
  }
  return sets;
}

function cpu(work) {
  const start = process.cpuUsage();
  const result = work();
  const used = process.cpuUsage(start);
  return { ms: (used.user + used.system) / 1000, result };
}

const countAll = (tokenizer, texts) => texts.reduce((sum, text) => sum + tokenizer.count(text), 0);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function againstLibrary() {
  const [warmUp, ...sets] = rounds();
  const own = tokenizers.o200k_base();
  const library = tokenizers["js-tiktoken:o200k_base"]();
  countAll(own, warmUp);
  countAll(library, warmUp);
  const unseen = [];
  const seen = [];
  let mismatches = 0;
  for (const texts of sets) {
    const theirs = cpu(() => countAll(library, texts));
    const first = cpu(() => countAll(own, texts));
    const again = cpu(() => {
      for (let i = 0; i < 4; i++) countAll(own, texts);
    });
    if (first.result !== theirs.result) mismatches++;
    unseen.push(theirs.ms / first.ms);
    seen.push(theirs.ms / (again.ms / 4));
  }
  return { unseen: median(unseen), seen: median(seen), rounds: sets.length, rounds_that_differ: mismatches };
}

function megabyte() {
  const own = tokenizers.o200k_base();
  const time = (text) => Math.min(...Array.from({ length: 5 }, () => cpu(() => own.count(text)).ms));
  const ratios = ["a", " ", "=", "\n", "\u4e2d"].map((character) => {
    const small = time(character.repeat(100_000));
    return time(character.repeat(1_000_000)) / small;
  });
  return Math.max(...ratios);
}

/** 99th percentile of the event loop's delay while `work` runs, in milliseconds. */
async function delayDuring(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay.percentile(99) / 1e6;
}

async function eventLoop() {
  const counter = new TokenCounter({ budgetMs: 30_000 });
  const text = "a".repeat(1_000_000);
  await counter.countLarge(text, "o200k_base");
  const idle = await delayDuring(() => new Promise((done) => setTimeout(done, 2000)));
  const busy = await delayDuring(async () => {
    const end = performance.now() + 2000;
    while (performance.now() < end) await counter.countLarge(text, "o200k_base");
  });
  await counter.close();
  return { idle_p99_ms: idle, busy_p99_ms: busy, ratio: busy / idle };
}

const library = againstLibrary();
const large = megabyte();
const loop = await eventLoop();
if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ ...library, megabyte: large, event_loop: loop, goals: GOALS }));
} else {
  const line = (what, value, goal, met) => console.log(`${met ? "ok  " : "MISS"} ${what}: ${value} (goal ${goal})`);
  const times = (value) => `${value.toFixed(1)}x`;
  line("unseen tool output, faster than js-tiktoken", times(library.unseen), ">= 5x", library.unseen >= GOALS.unseen);
  line("the same again, faster than js-tiktoken", times(library.seen), ">= 15x", library.seen >= GOALS.seen);
  line("1 MB of one character against 100 KB, worst of five", times(large), "<= 15x", large <= GOALS.megabyte);
  const p99 = `${loop.idle_p99_ms.toFixed(2)} ms idle, ${loop.busy_p99_ms.toFixed(2)} ms counting 1 MB in the worker`;
  line("event loop p99", p99, "<= 2x", loop.ratio <= GOALS.event_loop);
  console.log(`${library.rounds_that_differ} of ${library.rounds} rounds gave another sum than js-tiktoken`);
}
