// What a whole pass costs: on_turn_start of a session with 5,000 live blocks that crosses orange, with the ledger and
// without it, in turn in one run; and what the ledger's bookkeeping adds to a turn without a pass. Goal: < 20 ms CPU a pass.
import { inProcessManager } from "./support/in-process.mjs";

const BLOCKS = 5_000;
const WINDOW = 10_000_000;
const WARM_UP = 4;
const MEASURED = 9;
const QUIET_TURNS = 200;

const { call, close } = await inProcessManager();

/** A listing of files with sizes: lines that stand nowhere else, some of them named later. */
const listing = (n) =>
  Array.from({ length: 10 }, (_, row) => `src/part${n % 211}/unit_${n}_${row}.py: ${4000 + n * 31 + row} bytes`).join(
    "\n",
  );

async function step(id, n) {
  const said = n === 0 ? "I look." : `Next unit_${n - 1}_3.py in part${(n - 1) % 211}.`;
  const tool_call = {
    id: `c${n}`,
    type: "function",
    function: { name: "list", arguments: JSON.stringify({ page: n }) },
  };
  await call("on_turn_end", { session_id: id, message: { role: "assistant", content: said, tool_calls: [tool_call] } });
  await call("on_tool_result", { session_id: id, tool_call_id: `c${n}`, tool_name: "list", content: listing(n) });
}

async function cpu(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Milliseconds of CPU: a turn without a pass, and the start of the turn that makes the pass. */
async function measure(id, enabled) {
  await call("session.open", {
    session_id: id,
    model: "gpt-4o",
    max_context_tokens: WINDOW,
    settings: { ledger: { enabled }, pressure: { forecast_turns: 0 } },
  });
  await call("on_turn_start", {
    session_id: id,
    messages: [{ role: "user", content: "Find the unit that is too large." }],
  });
  let n = 0;
  for (; n < BLOCKS / 3 - QUIET_TURNS; n++) await step(id, n);
  await new Promise((resolve) => setTimeout(resolve, 500));
  globalThis.gc?.();
  const quiet = await cpu(async () => {
    for (let turn = 0; turn < QUIET_TURNS; turn++) {
      await call("on_turn_start", { session_id: id, reply: "decision" });
      await step(id, n++);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  });
  const { reading } = await call("on_turn_start", { session_id: id, reply: "decision" });
  // As in a session that comes near: what is new has been read behind the answers before the pass is due.
  for (const above of [1.05, 0.999]) {
    const orange = (above * reading.tokens) / WINDOW;
    const thresholds = { yellow: orange / 2, orange, red: 0.9 };
    await call("session.configure", {
      session_id: id,
      settings: { ledger: { enabled }, pressure: { forecast_turns: 0, thresholds } },
    });
    if (above > 1) await call("on_turn_start", { session_id: id, reply: "decision" });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  globalThis.gc?.();
  let reply;
  const pass = await cpu(async () => {
    reply = await call("on_turn_start", { session_id: id, reply: "decision" });
  });
  await call("session.close", { session_id: id });
  return { quiet: quiet / QUIET_TURNS, pass, edits: reply.applied.length, ledger: reply.ledger };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const figures = { with: [], without: [] };
for (let round = 0; round < WARM_UP + MEASURED; round++) {
  for (const kind of ["with", "without"]) {
    const taken = await measure(`${kind}-${round}`, kind === "with");
    if (round >= WARM_UP) figures[kind].push(taken);
  }
}
for (const [kind, taken] of Object.entries(figures)) {
  const { edits, ledger } = taken.at(-1);
  const lines = ledger === null ? "no ledger" : `${ledger.lines} lines of ${ledger.tokens} tokens`;
  console.log(
    `pass ${kind} the ledger: ${median(taken.map(({ pass }) => pass)).toFixed(1)} ms CPU (${edits} edits, ${lines}); ` +
      `turn without a pass: ${(1_000 * median(taken.map(({ quiet }) => quiet))).toFixed(0)} us CPU`,
  );
}
await close();
