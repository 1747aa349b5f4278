// An agent that may be killed at any moment and goes on where it was, in this process or another:
//
//   npm start                                              # the daemon, in another terminal
//   node examples/resume/agent.mjs docs --die-in-call 3    # kills itself while its third tool call runs
//   node examples/resume/agent.mjs docs                    # goes on, and reports
//
// It counts the lines of the files in a folder. What it knows stands in the daemon alone: it keeps nothing of its own. No
// model is needed; `model` below says what one would.
import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string", default: "http://127.0.0.1:7420" },
    session: { type: "string", default: "line-counter" },
    "die-in-call": { type: "string", default: "0" },
  },
});
const folder = positionals[0] ?? ".";
const session_id = values.session;

/** A call of the daemon's. The idempotency key makes it safe to repeat; a real agent repeats it when no answer comes. */
async function contextd(method, params = {}) {
  const reads = method.endsWith(".get");
  const response = await fetch(`${values.url}/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method },
      params: { session_id, ...(reads ? {} : { idempotency_key: randomUUID() }), ...params },
    }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

const contentOf = (name) => readFileSync(join(folder, name));
/** Where the agent works, as far as its answer depends on it. */
const environment = () => ({
  folder,
  files: Object.fromEntries(
    readdirSync(folder)
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, createHash("sha256").update(contentOf(name)).digest("hex")]),
  ),
});

/** Begins the task, or takes it up again: `resume` is right for both. */
async function begin() {
  const { resumed, window_id, turn, bootstrap } = await contextd("session.open", {
    ...{ model: "gpt-4o", agent: "line-counter", resume: true },
    task: { goal: "Count the lines of every file in the folder.", constraints: ["Change no file."] },
  });
  const here = environment();
  if (!resumed) {
    const subtasks = Object.keys(here.files).map((title, index) => ({ id: `f${index + 1}`, title }));
    await contextd("task.update", { subtasks, environment: here });
    return [{ role: "user", content: "Count the lines." }];
  }
  console.log(`resumed in window ${window_id}, after turn ${turn}`);
  // A call that was cut off has no result: it is told so, since nobody knows how far it came.
  for (const { tool_call_id, tool_name } of bootstrap.pending_calls) {
    console.log(`interrupted: ${tool_name}`);
    const content = "The process ended while this ran: run it again if it is still needed.";
    await contextd("on_tool_result", { tool_call_id, tool_name, content, is_error: true });
  }
  // What is there now is held to what was there: what was done on other ground is to be done again.
  const { verified } = await contextd("task.update", { environment: here });
  const { subtasks } = await contextd("task.get");
  const drifted = new Set(verified?.drifted);
  const again = subtasks.filter(({ title, status }) => status === "done" && drifted.has(`files/${title}`));
  if (again.length > 0) {
    console.log(`changed meanwhile: ${again.map(({ title }) => title).join(", ")}`);
    await contextd("task.update", { subtasks: again.map(({ id }) => ({ id, status: "planned" })) });
  }
  // What a model reads first, as the user's message.
  return [{ role: "user", content: bootstrap.prompt }];
}

/** What a model would answer: the next file, or that there is none. */
function model(messages, subtasks) {
  if (messages.length === 0) throw new Error("nothing to answer");
  const next = subtasks.find(({ status }) => status !== "done");
  if (next === undefined) return { message: { role: "assistant", content: "All files are counted." } };
  const call = { name: "count_lines", arguments: JSON.stringify({ path: next.title }) };
  return {
    next,
    message: {
      ...{ role: "assistant", content: null },
      tool_calls: [{ id: `call_${randomUUID()}`, type: "function", function: call }],
    },
  };
}

let messages = await begin();
for (let call = 1; ; call++) {
  const started = await contextd("on_turn_start", { messages });
  messages = [];
  const { subtasks } = await contextd("task.get");
  const { message, next } = model(started.messages, subtasks);
  await contextd("on_turn_end", { message });
  if (next === undefined) break;
  await contextd("task.update", { subtasks: [{ id: next.id, status: "in_progress" }] });
  if (call === Number(values["die-in-call"])) process.kill(process.pid, "SIGKILL");
  const note = `${contentOf(next.title).toString("utf8").split("\n").length - 1} lines`;
  await contextd("on_tool_result", { tool_call_id: message.tool_calls[0].id, tool_name: "count_lines", content: note });
  // A subtask that is done is a milestone: the daemon saves a checkpoint.
  await contextd("task.update", { subtasks: [{ id: next.id, status: "done", note }] });
}
const { subtasks } = await contextd("task.get");
for (const { title, note } of subtasks) console.log(`${title}: ${note}`);
const { checkpoint } = await contextd("session.close");
console.log(`closed with checkpoint ${checkpoint.checkpoint_id}`);
