/**
 * Claim: a turn hook (`on_turn_start` with a new message: exact count, durable acknowledgement on SQLite, metrics and
 * log on) is answered as often a second as a bare Express 5 server echoes the same JSON at 1 KB, half as often at 10 KB
 * and 0.3 times as often at 100 KB. Both run in processes of their own, under the same load, in turn.
 *
 *   npm run build && node benchmarks/hook-throughput.mjs [--seconds 4] [--rounds 3] [--connections 64]
 *     [--reply decision|patch|messages] [--sizes 1000,10000,100000]
 *
 * Prints one JSON document; exits 1 when the claim does not hold. One session a connection, one call in flight each.
 */
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { load } from "./support/load.mjs";
import { daemonProcess, serverProcess } from "./support/server-process.mjs";
import { textSource } from "./support/texts.mjs";

const GOALS = new Map([
  [1_000, 1],
  [10_000, 0.5],
  [100_000, 0.3],
]);
/** So large that nothing is evicted: passes have a benchmark of their own. */
const WINDOW_TOKENS = 1_000_000_000;
/** Text made beforehand for the bodies of one size. */
const CHUNK_BYTES = 6_000_000;

const { values } = parseArgs({
  options: {
    echo: { type: "boolean", default: false },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    reply: { type: "string", default: "decision" },
    sizes: { type: "string", default: [...GOALS.keys()].join(",") },
  },
});
const connections = Number(values.connections);
const texts = textSource();

/** The other server: what anybody would write. */
async function serveEcho() {
  const { default: express } = await import("express");
  const app = express();
  app.use(express.json({ limit: "1mb" }));
  app.post("/rpc", (request, response) => {
    response.json(request.body);
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.stdout.write(`echo on http://127.0.0.1:${server.address().port}\n`);
  process.once("SIGTERM", () => process.exit());
}

/** Bodies of a size: the text between a frame that names the session and a number that makes it one of its kind. */
function bodies(size) {
  const chunks = Array.from({ length: Math.min(2_000, Math.ceil(CHUNK_BYTES / size)) }, () =>
    Buffer.from(JSON.stringify(texts.next(size)).slice(1)),
  );
  const end = Buffer.from(`}],"reply":"${values.reply}"},"id":1}`);
  let number = 0;
  return (session) => {
    const chunk = chunks[++number % chunks.length];
    const start = `{"jsonrpc":"2.0","method":"on_turn_start","params":{"session_id":"${session}","messages":[{"role":"user","content":"${number} `;
    return [Buffer.from(start), chunk, end];
  };
}

async function call(url, method, params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const answer = await (await fetch(`${url}/rpc`, { method: "POST", headers, body })).json();
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
}

/** One round: calls a second, how fast they were answered, and the server's CPU for each. */
async function round(server, seconds, body) {
  const before = server.cpuSeconds();
  const { calls, ...figures } = await load(server.url, { connections, seconds, body });
  return { ...figures, cpu_us: ((server.cpuSeconds() - before) / calls) * 1e6 };
}

const median = (figures) => figures.toSorted((a, b) => a - b)[figures.length >> 1];

function middle(runs) {
  return Object.fromEntries(
    Object.keys(runs[0]).map((key) => [key, Number(median(runs.map((run) => run[key])).toFixed(1))]),
  );
}

async function measure(size) {
  const daemon = await daemonProcess();
  const echo = await serverProcess([fileURLToPath(import.meta.url), "--echo"]);
  try {
    const sessions = Array.from({ length: connections }, (_, n) => `bench-${size}-${n}`);
    for (const session_id of sessions) {
      await call(daemon.url, "session.open", { session_id, model: "gpt-4o", max_context_tokens: WINDOW_TOKENS });
    }
    const next = bodies(size);
    const body = (n) => next(sessions[n]);
    for (const server of [echo, daemon]) await round(server, 2, body);
    const hooks = [];
    const echoes = [];
    for (let n = 0; n < Number(values.rounds); n++) {
      echoes.push(await round(echo, Number(values.seconds), body));
      hooks.push(await round(daemon, Number(values.seconds), body));
    }
    const hook = middle(hooks);
    const bare = middle(echoes);
    return {
      body_bytes: size,
      hook,
      express_echo: bare,
      ratio: Number(median(hooks.map((run, n) => run.per_second / echoes[n].per_second)).toFixed(2)),
      cpu_ratio: Number((bare.cpu_us / hook.cpu_us).toFixed(2)),
      goal: GOALS.get(size) ?? null,
    };
  } finally {
    await echo.stop();
    await daemon.stop();
  }
}

if (values.echo) await serveEcho();
else {
  const runs = [];
  for (const size of values.sizes.split(",").map(Number)) runs.push(await measure(size));
  const met = runs.every(({ ratio, goal }) => goal === null || ratio >= goal);
  const report = { benchmark: "hook-throughput", node: process.version, reply: values.reply, connections, runs, met };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = met ? 0 : 1;
}
