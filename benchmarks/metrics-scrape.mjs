/**
 * Claim: a scrape of /metrics at 10,000 open sessions takes at most 1.2 times what it takes at ten, and less than
 * 100 ms. Both daemons run side by side and are scraped in turn. Prints one JSON document; exits 1 when it does not hold.
 *
 *   npm run build && node benchmarks/metrics-scrape.mjs [--sessions 10000] [--scrapes 40]
 */
import { parseArgs } from "node:util";
import { daemonProcess } from "./support/server-process.mjs";

const GOALS = { ratio: 1.2, ms: 100 };
const FEW = 10;
const BATCH = 100;

const { values } = parseArgs({
  options: { sessions: { type: "string", default: "10000" }, scrapes: { type: "string", default: "40" } },
});

async function post(url, requests) {
  const headers = { "content-type": "application/json" };
  const answers = await (await fetch(`${url}/rpc`, { method: "POST", headers, body: JSON.stringify(requests) })).json();
  const failed = answers.find((answer) => answer.error);
  if (failed) throw new Error(failed.error.message);
}

const calls = (method, paramsOf, from, to) =>
  Array.from({ length: to - from }, (_, n) => ({ jsonrpc: "2.0", id: n, method, params: paramsOf(from + n) }));

/** Sessions of a few models and agents, each with a turn behind it. */
async function openSessions(url, count) {
  for (let from = 0; from < count; from += BATCH) {
    const to = Math.min(count, from + BATCH);
    const open = (n) => ({
      session_id: `s${n}`,
      agent: `agent-${n % 20}`,
      model: n % 2 ? "gpt-4o" : "claude-sonnet-4-5",
    });
    await post(url, calls("session.open", open, from, to));
    const content = (n) => `Look at case ${n}. `.repeat(1 + (n % 50));
    const turn = (n) => ({ session_id: `s${n}`, reply: "decision", messages: [{ role: "user", content: content(n) }] });
    await post(url, calls("on_turn_start", turn, from, to));
  }
}

async function scrape({ url, cpuSeconds }, times) {
  const before = cpuSeconds();
  const milliseconds = [];
  let bytes = 0;
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    bytes = (await (await fetch(`${url}/metrics`)).text()).length;
    milliseconds.push(performance.now() - started);
  }
  return {
    ms: milliseconds.sort((a, b) => a - b)[times >> 1],
    cpu_ms: ((cpuSeconds() - before) / times) * 1000,
    bytes,
  };
}

const median = (figures) => figures.toSorted((a, b) => a - b)[figures.length >> 1];
const rounded = (figure) => Number(figure.toFixed(2));

const few = await daemonProcess();
const many = await daemonProcess();
try {
  await openSessions(few.url, FEW);
  await openSessions(many.url, Number(values.sessions));
  const rounds = [];
  for (let n = 0; n < 8; n++) {
    const atFew = await scrape(few, Number(values.scrapes));
    const atMany = await scrape(many, Number(values.scrapes));
    // The first rounds compile the code.
    if (n >= 3) rounds.push({ atFew, atMany });
  }
  const ms = (at) => rounded(median(rounds.map((round) => round[at].ms)));
  const cpu = (at) => rounded(median(rounds.map((round) => round[at].cpu_ms)));
  const ratio = rounded(median(rounds.map(({ atFew, atMany }) => atMany.ms / atFew.ms)));
  const report = {
    benchmark: "metrics-scrape",
    node: process.version,
    few: { sessions: FEW, ms: ms("atFew"), cpu_ms: cpu("atFew"), bytes: rounds[0].atFew.bytes },
    many: { sessions: Number(values.sessions), ms: ms("atMany"), cpu_ms: cpu("atMany"), bytes: rounds[0].atMany.bytes },
    ratio,
    goals: GOALS,
    holds: ratio <= GOALS.ratio && ms("atMany") < GOALS.ms,
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = report.holds ? 0 : 1;
} finally {
  await few.stop();
  await many.stop();
}
