import type { JsonObject } from "../../src/model/json.ts";

export interface MethodSample {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * One good call of every method, in an order in which they all succeed. Those that change something have idempotency
 * keys: made again, they answer the same and change nothing. `word` stands in every text.
 */
export function methodSamples(word = "word", session_id = "sampled"): MethodSample[] {
  const keyed = (method: string, params: JsonObject): MethodSample => ({
    method,
    params: { session_id, idempotency_key: `key of ${method}`, ...params },
  });
  const reading = (method: string, params: JsonObject = {}): MethodSample => ({
    method,
    params: { session_id, ...params },
  });
  const call = { id: "call-1", type: "function", function: { name: "read_file", arguments: `{"path":"${word}.txt"}` } };
  return [
    keyed("session.open", {
      agent: "sampler",
      model: "gpt-4o",
      max_context_tokens: 8000,
      system: `You know the ${word}.`,
      task: { goal: `Find the ${word}.`, success_criteria: ["found"], constraints: [] },
      tools: [
        {
          type: "function",
          function: { name: "read_file", description: `Reads ${word}.`, parameters: { type: "object" } },
        },
        { type: "function", function: { name: "recall", parameters: { type: "object" } } },
      ],
    }),
    keyed("on_turn_start", { messages: [{ role: "user", content: `Look for the ${word}.` }] }),
    keyed("on_turn_end", {
      message: { role: "assistant", content: `I read ${word}.txt.`, tool_calls: [call] },
      usage: { input_tokens: 100, output_tokens: 10 },
    }),
    // Too much for the window: it is cut, and has a handle by which the rest is recalled.
    keyed("on_tool_result", {
      tool_call_id: "call-1",
      tool_name: "read_file",
      content: `${word} stands in this line\n`.repeat(500),
    }),
    keyed("context.append", { text: `Remember the ${word}.`, type: "note" }),
    keyed("context.pin", { block_ids: ["b3"] }),
    keyed("context.unpin", { block_ids: ["b3"] }),
    keyed("context.compact", { target_utilization: 0.2 }),
    keyed("note.write", { text: `The ${word} is in ${word}.txt.`, category: "learnings", importance: "high" }),
    reading("note.list", { query: word }),
    keyed("task.update", { subtasks: [{ id: "t1", title: `Find the ${word}`, status: "in_progress" }] }),
    reading("task.get"),
    keyed("session.configure", { settings: { eviction: { policy: "lru" } } }),
    keyed("delegation.open", {
      title: `the ${word}`,
      goal: `Find out where the ${word} is.`,
      constraints: [`Leave the ${word} as it is.`],
      files: [`${word}.txt`],
      child: { system: `You look for the ${word}.` },
    }),
    keyed("delegation.close", { delegation_id: "d1", result: `The ${word} is in the file.` }),
    keyed("on_overflow", { provider_error: { message: `${word} is too long` } }),
    keyed("content.recall", { query: `stands in this line` }),
    keyed("context.restore", { block_id: "b7" }),
    keyed("checkpoint.save", {}),
    reading("checkpoint.list"),
    reading("checkpoint.get"),
    keyed("window.open", {}),
    reading("session.get"),
    reading("session.export", { limit: 2 }),
    reading("context.get", { include: ["blocks", "messages"] }),
    reading("context.explain", { block_id: "b3" }),
    reading("content.get", { block_id: "b3" }),
    reading("pass.explain", { pass_id: "p1" }),
    reading("content.search", { query: "stands", limit: 5 }),
    reading("budget.check", { component: "tool_results", tokens: 10 }),
    reading("budget.report"),
    reading("fidelity.evaluate"),
    reading("audit.list", { limit: 20 }),
    reading("trend.report", { max_points: 100 }),
    { method: "shadow.report", params: {} },
    reading("shadow.watch"),
    reading("shadow.unwatch"),
    {
      method: "replay.run",
      params: { session_ids: [session_id], policies: ["fifo", "none"], window: "8000", idempotency_key: "replay it" },
    },
    { method: "replay.cancel", params: {} },
    { method: "replay.list", params: {} },
    { method: "replay.get", params: {} },
    { method: "session.list", params: { sort: "session_id" } },
    { method: "session.list", params: { state: "all", search: word, fields: ["closed_at"] } },
    { method: "status.report", params: {} },
    { method: "system.report", params: {} },
    { method: "rpc.discover", params: {} },
    // Another session, so that the first stays open.
    {
      method: "session.open",
      params: { session_id: `${session_id} no more`, idempotency_key: "open it", system: `A ${word}.` },
    },
    {
      method: "session.close",
      params: { session_id: `${session_id} no more`, idempotency_key: "close it", reason: `the ${word} was found` },
    },
    // And one that goes on from the first.
    { method: "session.open", params: { session_id: `${session_id} later`, idempotency_key: "open another" } },
    {
      method: "checkpoint.load",
      params: { session_id: `${session_id} later`, idempotency_key: "load it", from_session: session_id },
    },
  ];
}
