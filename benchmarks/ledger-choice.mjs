// What the ledger adds to the decision of a pass: reading 5,000 blocks into the book, taking most of them out, and
// choosing the rows anew, warm. Goal: an eviction pass at 5,000 live blocks, its ledger included, under 20 ms CPU.
import { Book, chooseLedger, PassView } from "../dist/ledger/index.js";
import { openNeedModel } from "../dist/need-models.js";
import { tokenizers } from "../dist/tokens/index.js";

const STEPS = 1_667;
const WARM_UP = 10;
const MEASURED = 25;
const tokenizer = tokenizers.o200k_base();
const model = openNeedModel({ need_model: "builtin" });

const listing = (n) =>
  Array.from({ length: 10 }, (_, row) => `src/part${n % 211}/unit_${n}_${row}.py: ${4000 + n * 31 + row} bytes`).join(
    "\n",
  );

function cpu(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const text = (blockId, value) => ({ blockId, part: { kind: "text", text: value, wire: null } });
const book = new Book();
const results = [];

function step(n) {
  const argumentsText = JSON.stringify({ page: n });
  const call = { kind: "tool_call", callId: `c${n}`, name: "list", argumentsText, wire: null };
  const pieces = [text(`s${n}`, `Next unit_${n - 1}_3.py in part${(n - 1) % 211}.`), { blockId: `c${n}`, part: call }];
  book.add({ role: "assistant", pinned: false, pieces });
  const part = { kind: "tool_result", callId: `c${n}`, isError: false, text: listing(n), attachments: [], wire: null };
  book.add({ role: "tool", pinned: false, pieces: [{ blockId: `r${n}`, part }] });
  results.push(`s${n}`, `c${n}`, `r${n}`);
}

book.add({ role: "user", pinned: true, pieces: [text("task", "Find the unit that is too large.")] });
const reading = cpu(() => {
  for (let n = 0; n < STEPS; n++) step(n);
});
const leaving = results.slice(0, Math.floor(0.8 * results.length));
const taking = cpu(() => {
  for (const blockId of leaving) book.hide(blockId);
});

function choose() {
  const sources = {
    view: new PassView(book),
    model,
    tokensOf: (row) => tokenizer.count(`${row}\n`),
    factor: () => 1,
  };
  const limits = { tokens: 40_000, mostTokens: 60_000, stableShare: 0.75, refreshBelow: 0.45, leastNeed: 0 };
  return chooseLedger(sources, limits, []);
}

let chosen;
const times = [];
for (let round = 0; round < WARM_UP + MEASURED; round++) {
  const time = cpu(() => {
    chosen = choose();
  });
  if (round >= WARM_UP) times.push(time);
}
const median = times.toSorted((a, b) => a - b)[times.length >> 1];
console.log(`reading a block: ${((1_000 * reading) / results.length).toFixed(0)} us CPU, once, behind the answers`);
console.log(`${leaving.length} blocks leave the book: ${taking.toFixed(1)} ms CPU`);
console.log(
  `choosing ${chosen.stable.length + chosen.fresh.length} rows of ${chosen.candidates} lines: ${median.toFixed(1)} ms CPU`,
);
