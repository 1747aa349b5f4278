// Claim: an eviction pass over 5,000 live blocks costs less than 20 ms of CPU, and a pass over twice the blocks about
// twice as much; taking a new block into the indexes costs the same whether 50 or 5,000 blocks are live.
// Run after `npm run build`. Prints one JSON document.
import { planEviction, protect, SimilarityIndex, SupersededIndex, scorers } from "../dist/eviction/index.js";
import { tokenizers } from "../dist/tokens/index.js";

const GOAL_MS = 20;
/** Passes until the code is compiled, and passes that count. */
const WARM_UP = 20;
const MEASURED = 25;
const tokenizer = tokenizers.o200k_base();
const count = (text) => tokenizer.count(text);
// Loads the rank data: that is paid once a process, not by a pass.
count("ready");

/** A repeatable generator of words: a linear congruence. */
function wordsFrom(seed) {
  let state = seed;
  const stems = "read parse token index value error commit window handle turn unit block zone path line test".split(
    " ",
  );
  return (length) =>
    Array.from({ length }, (_, i) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const word = `${stems[state % stems.length]}_${(state >>> 8) % 5000}`;
      return i % 10 === 9 ? `${word}\n` : word;
    }).join(" ");
}

/** Units of an assistant's words, a call and its result (1-4 KB); every tenth result repeats an earlier one. */
function session(blocks) {
  const words = wordsFrom(7);
  const texts = [];
  const units = [];
  let number = 0;
  const block = (unit, type, part, tool, text) => {
    const id = `b${++number}`;
    const tokens = Math.ceil(text.length / 3) + 8;
    const hash = number.toString(16).padStart(64, "0");
    unit.blocks.push({
      id,
      messageId: `m${number}`,
      unitId: unit.id,
      type,
      turn: unit.turn,
      tool,
      hash,
      partHash: hash,
      handle: `h-${hash.slice(-12)}`,
      originalTokens: tokens,
      approximate: false,
      part,
      tokens,
      state: "whole",
      pinned: false,
      generation: 0,
      lastReferencedTurn: number % 3 === 0 ? unit.turn : null,
      referenceCount: number % 4,
    });
    unit.tokens += tokens;
  };
  for (let i = 0; number < blocks; i++) {
    const unit = { id: i + 1, turn: i, blocks: [], tokens: 0, pendingCalls: new Set() };
    units.push(unit);
    if (i === 0) {
      block(unit, "user_message", { kind: "text", text: "mend the parser", wire: null }, null, "mend the parser");
      continue;
    }
    const said = words(30);
    const text = i % 10 === 0 && texts.length > 50 ? texts[texts.length - 37] : words(60 + ((i * 37) % 200));
    texts.push(text);
    const tool = { callId: `c${i}`, name: "read_file", argumentsText: JSON.stringify({ path: `src/f${i % 700}.ts` }) };
    const call = {
      kind: "tool_call",
      callId: tool.callId,
      name: tool.name,
      argumentsText: tool.argumentsText,
      wire: null,
    };
    block(unit, "assistant_response", { kind: "text", text: said, wire: null }, null, said);
    block(unit, "assistant_response", call, tool, tool.argumentsText);
    block(
      unit,
      "tool_result",
      { kind: "tool_result", callId: tool.callId, isError: false, text, attachments: [], wire: null },
      tool,
      text,
    );
  }
  return units;
}

function textOf(part) {
  return part.kind === "tool_call" ? `${part.name} ${part.argumentsText}` : part.text;
}

function indexed(units) {
  const similarity = new SimilarityIndex();
  const superseded = new SupersededIndex();
  similarity.setTask("mend the parser of tokens");
  const costs = [];
  for (const { blocks } of units) {
    for (const block of blocks) {
      const started = process.hrtime.bigint();
      similarity.add(block, textOf(block.part));
      superseded.add(block);
      costs.push(Number(process.hrtime.bigint() - started) / 1_000);
    }
  }
  return { similarity, superseded, costs };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function passes(units, { similarity, superseded }, policy) {
  const blocks = units.flatMap((unit) => unit.blocks);
  const total = blocks.reduce((sum, block) => sum + block.tokens, 0);
  const scorer = scorers[policy].configure({});
  const run = () => {
    const protection = protect(units, {
      keepRecentUnits: 3,
      keepRecentTokens: Number.POSITIVE_INFINITY,
      keepUserTokens: 10_000,
      protectedTypes: [],
    });
    const context = {
      turn: units.length,
      windowTokens: total,
      units,
      taskText: "mend the parser of tokens",
      similarity,
      superseded,
      reneedRate: () => 0.2,
      protection,
      merge: { enabled: true, threshold: 0.85 },
      canRecall: true,
      count,
      tokensWith: (_block, text) => count(text) + 8,
    };
    const demand = {
      tokensToFree: Math.floor(total * 0.35),
      prices: { read: 0.1, write: 1.25 },
      expectedRemainingTurns: 20,
      minTokensFreed: 256,
      forced: true,
    };
    return planEviction(context, scorer, demand);
  };
  const milliseconds = [];
  let plan;
  for (let i = 0; i < WARM_UP + MEASURED; i++) {
    const before = process.cpuUsage();
    plan = run();
    const { user, system } = process.cpuUsage(before);
    milliseconds.push((user + system) / 1_000);
  }
  const methods = {};
  for (const { method } of plan.edits) methods[method] = (methods[method] ?? 0) + 1;
  return {
    cpu_ms_median: median(milliseconds.slice(WARM_UP)),
    cpu_ms_worst: Math.max(...milliseconds.slice(WARM_UP)),
    cpu_ms_cold: milliseconds[0],
    candidates: plan.ranked.length,
    edits: methods,
  };
}

const small = session(5_000);
const large = session(10_000);
const smallIndexes = indexed(small);
const largeIndexes = indexed(large);
const policies = {};
for (const policy of Object.keys(scorers)) policies[policy] = passes(small, smallIndexes, policy);
const doubled = passes(large, largeIndexes, "hybrid");
const slice = (from, to) => mean(smallIndexes.costs.slice(from, to));
const report = {
  benchmark: "eviction-pass",
  blocks: 5_000,
  goal_cpu_ms: GOAL_MS,
  met: policies.hybrid.cpu_ms_median < GOAL_MS,
  policies,
  hybrid_at_10000_blocks: { ...doubled, times_that_of_5000: doubled.cpu_ms_median / policies.hybrid.cpu_ms_median },
  index_us_a_block: { early: slice(600, 1_100), late: slice(4_500, 5_000) },
};
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.met ? 0 : 1;
