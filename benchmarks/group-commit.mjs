/**
 * Claim: with 128 appends in flight, group commit stores at least four times as many a second as a store that
 * syncs each by itself. Both are the product's own journal on the same disk, in turn: one append in flight is one
 * commit and one fsync each. Prints one JSON document; exits 1 when the claim does not hold.
 *
 *   npm run build && node benchmarks/group-commit.mjs [--seconds 2] [--folder DIR]
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { contentHash } from "../dist/model/content-hash.js";
import { openJournal } from "../dist/store/index.js";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "2" }, folder: { type: "string", default: tmpdir() } },
});
const seconds = Number(values.seconds);
const GOAL = 4;

/** Texts of about 400 tokens, different from one another and no easier to deflate than tool output. */
const WORDS =
  "const return import from export function session journal content error value 0 1 { } ( ) ; = => // ".split(" ");
let state = 1;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const toolOutput = () =>
  Array.from({ length: 260 }, () => WORDS[random(WORDS.length)] + (random(4) === 0 ? random(100_000) : "")).join(" ");

const row = (id, sessionSeq, contents) => ({
  key: { tenant: "bench", id },
  sessionSeq,
  at: Date.now(),
  hook: "on_tool_result",
  body: JSON.stringify({ events: [{ type: "block.added", block_id: `b${sessionSeq}`, data: "x".repeat(500) }] }),
  contents,
  idempotencyKey: `${id}-${sessionSeq}`,
  summary: JSON.stringify({ agent: "bench", turns: sessionSeq, filler: "y".repeat(150) }),
  closed: false,
  snapshot: null,
});

/** Appends a second with so many sessions appending at once, one after the other each. */
async function appendsPerSecond(inFlight, texts) {
  const folder = mkdtempSync(join(values.folder, "contextd-bench-"));
  const journal = await openJournal({ kind: "sqlite", path: folder });
  const until = performance.now() + seconds * 1000;
  const startedAt = performance.now();
  let appends = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async (_, n) => {
      for (let position = 1; performance.now() < until; position++, appends++) {
        await journal.append(row(`s${n}`, position, texts ? [texts[appends % texts.length]] : []));
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1000;
  const { commits } = journal.stats();
  const milliseconds = journal
    .stats()
    .drainCommits()
    .map((commit) => commit.seconds * 1000)
    .sort((a, b) => a - b);
  await journal.close();
  rmSync(folder, { recursive: true });
  return {
    in_flight: inFlight,
    appends_per_second: Math.round(appends / took),
    rows_per_commit: Number((appends / commits).toFixed(1)),
    commit_ms_p50: Number(milliseconds[Math.floor(milliseconds.length / 2)].toFixed(2)),
    commit_ms_p99: Number(milliseconds[Math.floor(milliseconds.length * 0.99)].toFixed(2)),
  };
}

/** Bytes on disk of a session of 200 turns: 800 hooks, each with a new block of 400 tokens, a snapshot every 200. */
async function sessionBytes() {
  const folder = mkdtempSync(join(values.folder, "contextd-bench-"));
  const journal = await openJournal({ kind: "sqlite", path: folder });
  let plain = 0;
  for (let position = 1; position <= 800; position++) {
    const body = toolOutput();
    const snapshot =
      position % 200 === 0
        ? JSON.stringify(
            Array.from({ length: position }, (_, n) => ({
              id: `b${n}`,
              hash: contentHash(`${n}`),
              tokens: n,
              state: "whole",
            })),
          )
        : null;
    const request = { ...row("s", position, [{ hash: contentHash(body), body }]), snapshot };
    plain += body.length + request.body.length + (snapshot?.length ?? 0);
    await journal.append(request);
  }
  const startedAt = performance.now();
  await journal.load({ tenant: "bench", id: "s" }, 799);
  const loadMs = performance.now() - startedAt;
  await journal.close();
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  rmSync(folder, { recursive: true });
  return { hooks: 800, text_bytes: plain, bytes_on_disk: bytes, load_200_rows_ms: Number(loadMs.toFixed(1)) };
}

const seen = toolOutput();
const known = [{ hash: contentHash(seen), body: seen }];
await appendsPerSecond(16, known);
const runs = [];
for (const inFlight of [1, 16, 128]) runs.push(await appendsPerSecond(inFlight, known));
const ratio = runs[2].appends_per_second / runs[0].appends_per_second;
const holds = ratio >= GOAL;
const report = {
  benchmark: "group-commit",
  node: process.version,
  runs,
  ratio: Number(ratio.toFixed(1)),
  goal: GOAL,
  holds,
  session: await sessionBytes(),
};
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = holds ? 0 : 1;
