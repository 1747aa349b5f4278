/**
 * Claim: an idle session of 50 blocks holds at most 3 KB beyond its text, and one that has left memory at most 0.5 KB.
 * Sessions in this process over SQLite, with a short time to rest and to leave; what the process keeps for any number
 * of sessions (caches of the store, code) is filled before. Prints one JSON document; exits 1 when a claim does not hold.
 *
 *   npm run build && node --expose-gc benchmarks/memory.mjs [--sessions 400]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ContextWindowManager } from "../dist/index.js";

const GOALS = { idle: 3 * 1024, unloaded: 512 };
const BLOCKS = 50;
const TEXT_BYTES = 400;
/** Sessions that the store remembers by itself: more than that pass through before anything is measured. */
const WARM_UP = 4_500;
const UNLOAD_MS = 12_000;

const { values } = parseArgs({ options: { sessions: { type: "string", default: "400" } } });
const count = Number(values.sessions);
if (!globalThis.gc) throw new Error("start node with --expose-gc");

const data = mkdtempSync(join(tmpdir(), "contextd-bench-"));
const config = join(data, "contextd.yaml");
writeFileSync(config, `store:\n  unload_idle_ms: ${UNLOAD_MS}\n`);
const manager = await ContextWindowManager.open({ data, config });

let number = 0;
/** Text of its own, as a parser makes it: one byte a character. */
const text = () =>
  JSON.parse(`"${`block ${++number} of src/part_${number % 97}.py `.padEnd(TEXT_BYTES, "lorem ipsum ")}"`);

async function open(id, blocks) {
  const session_id = `${id}-${Math.random().toString(36).slice(2, 14)}`;
  await manager.call("session.open", {
    session_id,
    model: "gpt-4o",
    max_context_tokens: 200_000,
    system: "Be careful.",
  });
  const messages = Array.from({ length: blocks }, () => ({ role: "user", content: text() }));
  if (blocks > 0) await manager.call("context.append", { session_id, messages });
  return session_id;
}

function used() {
  for (let n = 0; n < 4; n++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

for (let n = 0; n < WARM_UP; n += 50) {
  await Promise.all(
    Array.from({ length: 50 }, async () => manager.call("session.close", { session_id: await open("warm", 1) })),
  );
}
await sleep(500);
const before = used();
for (let n = 0; n < count; n += 25) {
  await Promise.all(Array.from({ length: 25 }, () => open("session", BLOCKS - 1)));
}
await sleep(200);
const active = used();
await sleep(UNLOAD_MS * 0.75);
const idle = used();
await sleep(UNLOAD_MS * 0.75);
const unloaded = used();
await manager.close();
rmSync(data, { recursive: true, force: true });

const texts = (BLOCKS - 1) * TEXT_BYTES;
const beyondText = (bytes) => Math.round((bytes - before) / count - texts);
const report = {
  benchmark: "memory",
  node: process.version,
  sessions: count,
  blocks: BLOCKS,
  text_bytes: texts,
  bytes_beyond_text: { after_its_last_call: beyondText(active), idle: beyondText(idle) },
  bytes_unloaded: Math.round((unloaded - before) / count),
  goals: GOALS,
};
report.holds = report.bytes_beyond_text.idle <= GOALS.idle && report.bytes_unloaded <= GOALS.unloaded;
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.holds ? 0 : 1;
