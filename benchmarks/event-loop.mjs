/**
 * Claim: one megabyte of one character as a tool result (what breaks counters that are quadratic on long runs) leaves
 * the event loop's delay at its 99th percentile within twice what it is when nothing is done. The whole hook: split,
 * counted, cut to the window, hashed, journalled on SQLite.
 *
 *   npm run build && node benchmarks/event-loop.mjs [--every 250] [--seconds 5]
 *
 * `--every`: milliseconds from one result to the next. Prints one JSON document; exits 1 when the claim does not hold.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { inProcessManager } from "./support/in-process.mjs";

const GOAL = 2;
const BYTES = 1_000_000;
const CHARACTERS = ["a", " ", "=", "\n", "\u4e2d"];

const { values } = parseArgs({
  options: { every: { type: "string", default: "250" }, seconds: { type: "string", default: "5" } },
});
const seconds = Number(values.seconds);

/** Delays of the event loop while `work` runs, in milliseconds. */
async function delayDuring(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  const ms = (nanoseconds) => Number((nanoseconds / 1e6).toFixed(2));
  return { p50_ms: ms(delay.percentile(50)), p99_ms: ms(delay.percentile(99)), max_ms: ms(delay.max) };
}

const { call, close } = await inProcessManager();
const session_id = "long-runs";
await call("session.open", { session_id, model: "gpt-4o", max_context_tokens: 200_000 });
await call("on_turn_start", { session_id, reply: "decision", messages: [{ role: "user", content: "Read the dump." }] });

let number = 0;
const latencies = [];
async function result(content) {
  const id = `c${++number}`;
  const tool_calls = [{ id, type: "function", function: { name: "cat", arguments: '{"path":"dump"}' } }];
  await call("on_turn_end", { session_id, message: { role: "assistant", content: null, tool_calls } });
  const sent = performance.now();
  await call("on_tool_result", { session_id, tool_call_id: id, tool_name: "cat", content });
  latencies.push(performance.now() - sent);
  await call("on_turn_start", { session_id, reply: "decision" });
}

for (const character of CHARACTERS) await result(character.repeat(BYTES));
latencies.length = 0;
const rounds = [];
for (let round = 0; round < 3; round++) {
  const idle = await delayDuring(() => sleep(seconds * 1000));
  const busy = await delayDuring(async () => {
    const until = performance.now() + seconds * 1000;
    while (performance.now() < until) {
      const next = sleep(Number(values.every));
      await result(CHARACTERS[number % CHARACTERS.length].repeat(BYTES));
      await next;
    }
  });
  rounds.push({ idle, busy, ratio: Number((busy.p99_ms / idle.p99_ms).toFixed(2)) });
}
await close();
latencies.sort((a, b) => a - b);
const ratio = rounds.map((round) => round.ratio).sort((a, b) => a - b)[1];
const report = {
  benchmark: "event-loop",
  node: process.version,
  bytes: BYTES,
  every_ms: Number(values.every),
  hooks: latencies.length,
  hook_p50_ms: Number(latencies[latencies.length >> 1].toFixed(1)),
  rounds,
  ratio,
  goal: GOAL,
  holds: ratio <= GOAL,
};
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.holds ? 0 : 1;
