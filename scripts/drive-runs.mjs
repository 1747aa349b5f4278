// Drives recorded agent runs through the hooks of a running daemon over HTTP, and checks every context it hands
// back: valid for the provider, inside the window, system prompt and task untouched, counts as tiktoken's.
//
//   node scripts/drive-runs.mjs --url http://127.0.0.1:7420 --window 8k,16k,25% --format openai,anthropic PATH...
//
// PATH: a run (JSONL: one metadata line, then one OpenAI chat message a line) or a folder of them.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SingleBar } from "cli-progress";
import { get_encoding } from "tiktoken";
import { ContextdClient } from "../dist/client/index.js";
import { convert, messageFormats } from "../dist/messages/index.js";

const HELP = `usage: node scripts/drive-runs.mjs [options] PATH...

  --url URL             the daemon (default http://127.0.0.1:7420)
  --window LIST         windows: tokens, 8k, or a share of the run such as 25% (default 8k,16k,25%)
  --format LIST         openai, anthropic (default both)
  --via hooks|messages|history   how results reach the daemon (default hooks)
  --policy NAME         eviction policy of the sessions
  --concurrency N       runs at a time (default 4)
  --json                one JSON document instead of the table
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string", default: "http://127.0.0.1:7420" },
    window: { type: "string", default: "8k,16k,25%" },
    format: { type: "string", default: "openai,anthropic" },
    via: { type: "string", default: "hooks" },
    policy: { type: "string" },
    concurrency: { type: "string", default: "4" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help || positionals.length === 0) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}

const MODEL = { openai: "gpt-4o", anthropic: "claude-sonnet-4" };
const encoding = get_encoding("o200k_base");
const known = new Map();
function tokensOf(text) {
  let tokens = known.get(text);
  if (tokens === undefined) {
    tokens = encoding.encode(text, [], []).length;
    known.set(text, tokens);
  }
  return tokens;
}

/** Counts a rendered OpenAI context with the oracle: 3 + 1 a message, its texts, calls and ids, and 3 for the reply. */
function oracleTokens(messages) {
  let tokens = 3;
  for (const message of messages) {
    tokens += 4;
    if (typeof message.name === "string") tokens += 1 + tokensOf(message.name);
    const parts = typeof message.content === "string" ? [{ text: message.content }] : (message.content ?? []);
    for (const part of parts) tokens += tokensOf(part.text ?? "");
    for (const call of message.tool_calls ?? []) {
      tokens += tokensOf(call.id) + tokensOf(call.function.name) + tokensOf(call.function.arguments);
    }
    if (message.role === "tool") tokens += tokensOf(message.tool_call_id);
  }
  return tokens;
}

function readRun(path) {
  const [meta, ...messages] = readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { meta, messages };
}

function windowOf(text, run) {
  if (text.endsWith("%")) return Math.max(1024, Math.floor((run.tokens * Number(text.slice(0, -1))) / 100));
  return text.endsWith("k") ? Number(text.slice(0, -1)) * 1024 : Number(text);
}

const client = new ContextdClient({ url: values.url });
let sessions = 0;

async function drive(run, windowText, formatName) {
  const format = messageFormats[formatName];
  const window = windowOf(windowText, run);
  const report = { id: run.meta.id, family: run.meta.family, window: windowText, tokens: window, format: formatName };
  Object.assign(report, {
    turns: 0,
    edits: 0,
    overWindow: 0,
    floors: 0,
    beyondFloor: 0,
    violations: [],
    altered: 0,
    miscounted: 0,
    peak: 0,
  });
  const source =
    formatName === "openai" ? { messages: run.messages } : convert({ messages: run.messages }, "openai", "anthropic");
  const id = `${run.meta.id}-${formatName}-${windowText.replace("%", "pct")}-${process.pid}-${sessions++}`;
  const system = formatName === "openai" ? undefined : source.system;
  await client.call("session.open", {
    session_id: id,
    agent: run.meta.family,
    model: MODEL[formatName],
    message_format: formatName,
    max_context_tokens: window,
    ...(system === undefined ? {} : { system }),
    ...(values.policy ? { settings: { eviction: { policy: values.policy } } } : {}),
  });
  const systemText = JSON.stringify(
    formatName === "openai" ? source.messages.find((m) => m.role === "system") : system,
  );
  const taskText = JSON.stringify(source.messages.find((m) => m.role === "user"));
  const sent = [];
  let waiting = [];
  const names = new Map();
  for (const message of source.messages) {
    if (message.role !== "assistant") {
      const results = resultsOf(message, formatName);
      if (values.via === "hooks" && results.length > 0 && results.complete) {
        for (const { callId, content } of results) {
          await client.call("on_tool_result", {
            session_id: id,
            tool_call_id: callId,
            tool_name: names.get(callId) ?? "tool",
            content,
          });
        }
      } else waiting.push(message);
      sent.push(message);
      continue;
    }
    const reply = await client.call("on_turn_start", {
      session_id: id,
      ...(values.via === "history" ? { history: sent } : { messages: waiting }),
    });
    waiting = [];
    const isTaskSent = sent.some((each) => JSON.stringify(each) === taskText);
    inspect(reply, { report, format, formatName, window, systemText, taskText: isTaskSent ? taskText : null });
    await client.call("on_turn_end", { session_id: id, message });
    for (const [callId, name] of callsOf(message, formatName)) names.set(callId, name);
    sent.push(message);
  }
  await client.call("session.close", { session_id: id });
  return report;
}

function callsOf(message, formatName) {
  if (formatName === "openai") return (message.tool_calls ?? []).map((call) => [call.id, call.function.name]);
  return (Array.isArray(message.content) ? message.content : [])
    .filter((p) => p.type === "tool_use")
    .map((p) => [p.id, p.name]);
}

/** The tool results of a message; `complete` when it holds nothing else. */
function resultsOf(message, formatName) {
  if (formatName === "openai") {
    const own = message.role === "tool" ? [{ callId: message.tool_call_id, content: message.content }] : [];
    return Object.assign(own, { complete: true });
  }
  const parts = Array.isArray(message.content) ? message.content : [];
  const own = parts
    .filter((part) => part.type === "tool_result")
    .map((p) => ({ callId: p.tool_use_id, content: p.content ?? "" }));
  return Object.assign(own, { complete: own.length === parts.length });
}

function inspect(reply, { report, format, formatName, window, systemText, taskText }) {
  report.turns++;
  report.edits += reply.applied.length;
  report.peak = Math.max(report.peak, reply.reading.utilization);
  const floor = reply.advice.find((advice) => advice.kind === "floor");
  const context = { messages: reply.messages, ...(reply.system === undefined ? {} : { system: reply.system }) };
  for (const violation of format.check(context)) report.violations.push({ turn: reply.turn, ...violation });
  if (reply.reading.tokens > window) {
    if (floor && floor.floor.floor_tokens > window) report.floors++;
    else report.overWindow++;
    // What stands beyond the floor although it could have gone.
    const { floor_tokens = 0, reserve_tokens = 0 } = floor?.floor ?? {};
    report.beyondFloor = Math.max(report.beyondFloor, reply.reading.tokens - (floor_tokens - reserve_tokens));
  }
  const system = formatName === "openai" ? reply.messages.find((m) => m.role === "system") : reply.system;
  // Some runs open with the assistant's greeting, and some have no user: the task comes later or never.
  const hasTask = taskText === null || reply.messages.some((m) => JSON.stringify(m) === taskText);
  const altered = JSON.stringify(system) !== systemText || !hasTask;
  if (altered) report.altered++;
  if (formatName === "openai" && oracleTokens(reply.messages) !== reply.reading.tokens) report.miscounted++;
}

const paths = positionals.flatMap((path) =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.endsWith(".jsonl"))
        .sort()
        .map((name) => join(path, name))
    : [path],
);
const runs = paths.map(readRun).map((run) => ({ ...run, tokens: oracleTokens(run.messages) }));
const jobs = values.window
  .split(",")
  .flatMap((window) => values.format.split(",").flatMap((format) => runs.map((run) => ({ run, window, format }))));
const reports = [];
const failures = [];
const bar = process.stderr.isTTY ? new SingleBar({ format: "{bar} {value}/{total} runs, {eta_formatted} left" }) : null;
bar?.start(jobs.length, 0);
let next = 0;
await Promise.all(
  Array.from({ length: Number(values.concurrency) }, async () => {
    for (let job = jobs[next++]; job; job = jobs[next++]) {
      try {
        reports.push(await drive(job.run, job.window, job.format));
      } catch (error) {
        failures.push({
          id: job.run.meta.id,
          window: job.window,
          format: job.format,
          error: `${error.reason ?? error.name}: ${error.message}`,
        });
      }
      bar?.increment();
    }
  }),
);
bar?.stop();

const groups = new Map();
for (const report of reports) {
  const key = `${report.window.padEnd(4)} ${report.format.padEnd(9)} ${report.family}`;
  const group = groups.get(key) ?? {
    runs: 0,
    turns: 0,
    edits: 0,
    overWindow: 0,
    floors: 0,
    violations: 0,
    altered: 0,
    miscounted: 0,
    peak: 0,
  };
  group.runs++;
  for (const field of ["turns", "edits", "overWindow", "floors", "altered", "miscounted"])
    group[field] += report[field];
  group.violations += report.violations.length;
  group.peak = Math.max(group.peak, report.peak);
  group.beyondFloor = Math.max(group.beyondFloor ?? 0, report.beyondFloor);
  groups.set(key, group);
}
if (values.json) process.stdout.write(`${JSON.stringify({ reports, failures }, null, 1)}\n`);
else {
  console.table(
    Object.fromEntries([...groups].sort().map(([key, group]) => [key, { ...group, peak: group.peak.toFixed(3) }])),
  );
  for (const failure of failures.slice(0, 20))
    console.log(`FAILED ${failure.id} ${failure.window} ${failure.format}: ${failure.error}`);
  for (const report of reports.filter((each) => each.violations.length > 0).slice(0, 10))
    console.log(report.id, report.violations[0]);
}
const bad =
  failures.length + reports.filter((r) => r.violations.length + r.overWindow + r.altered + r.miscounted > 0).length;
process.stderr.write(`${reports.length} runs driven, ${bad} bad\n`);
process.exit(bad > 0 ? 1 : 0);
