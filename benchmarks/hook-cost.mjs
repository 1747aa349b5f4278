// What a turn costs by the number of live blocks: on_turn_start (decision, patch), on_turn_end and on_tool_result of
// a session with 50 live blocks against sessions with 5,000 and 100,000, measured in turn in one run. Goals: <= 1.2x, <= 1.5x.
import { inProcessManager } from "./support/in-process.mjs";

const TURNS = 30;
const ROUNDS = 15;
const SIZES = [50, 5_000, 100_000];
const TOOL_OUTPUT = Array.from(
  { length: 12 },
  (_, line) => `src/module${line}/file.ts:${line * 17}: const value${line} = compute(${line});`,
).join("\n");

const { call, close } = await inProcessManager();

/** A session with `size` live blocks, in a window so large that nothing is evicted. */
async function open(id, size) {
  await call("session.open", {
    session_id: id,
    model: "gpt-4o",
    max_context_tokens: 100_000_000,
    system: "You are a careful engineer.",
  });
  const messages = [{ role: "user", content: "Mend the failing test." }];
  while (messages.length < size - 1) {
    const n = messages.length;
    messages.push({ role: "user", content: `Note ${n}: see lib/part${n % 97}/unit_${n}.py line ${n}.` });
    if (messages.length === 5_000) await call("context.append", { session_id: id, messages: messages.splice(0) });
    size -= messages.length === 0 ? 5_000 : 0;
  }
  if (messages.length > 0) await call("context.append", { session_id: id, messages });
}

async function turns(id, reply, state) {
  for (let turn = 0; turn < TURNS; turn++) {
    const n = state.n++;
    const started = await call("on_turn_start", {
      session_id: id,
      reply,
      ...(reply === "patch" ? { base_revision: state.revision } : {}),
    });
    state.revision = started.revision;
    const tool_call = {
      id: `c${n}`,
      type: "function",
      function: { name: "grep", arguments: JSON.stringify({ pattern: `value${n}` }) },
    };
    await call("on_turn_end", {
      session_id: id,
      message: { role: "assistant", content: `Looking for value${n}.`, tool_calls: [tool_call] },
    });
    await call("on_tool_result", {
      session_id: id,
      tool_call_id: `c${n}`,
      tool_name: "grep",
      content: `${TOOL_OUTPUT}\nmatch ${n}`,
    });
  }
}

/** Microseconds of CPU a turn. */
async function cpu(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / TURNS;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
for (const reply of ["decision", "patch"]) {
  const states = new Map();
  for (const size of SIZES) {
    const sessions = [];
    // Small sessions grow by the measuring itself: each round gets a new one.
    for (let round = 0; round <= (size === 50 ? ROUNDS : 0); round++) {
      const id = `${reply}-${size}-${round}`;
      await open(id, size);
      sessions.push({ id, n: 0 });
    }
    states.set(size, sessions);
  }
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const figures = new Map(SIZES.map((size) => [size, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const size of SIZES) {
      const sessions = states.get(size);
      const state = sessions[round % sessions.length];
      globalThis.gc?.();
      const cost = await cpu(() => turns(state.id, reply, state));
      if (round > 0) figures.get(size).push(cost);
    }
  }
  const base = median(figures.get(50));
  for (const size of SIZES) {
    const cost = median(figures.get(size));
    console.log(
      `turn, reply ${reply}, ${String(size).padStart(7)} live blocks: ${cost.toFixed(0)} us CPU, ${(cost / base).toFixed(2)}x`,
    );
  }
}
await close();
