import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { ContextWindowManager } from "../../src/index.ts";
import { messageFormats } from "../../src/messages/index.ts";
import type { EventData, EventType, PublishedEvent } from "../../src/model/events.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { conversationIn, parseRun } from "../../src/replay/recorded-run.ts";

/** What became of a recorded run whose agent called the hooks, in one window. */
export interface HeldRun {
  readonly name: string;
  readonly turns: number;
  /** Turns in which what nothing can free is more than the window: it takes the run to a larger one. */
  readonly beyondWindow: number;
  /** Faults of contexts handed back, with the turn: invalid for the provider, too large, or the task altered. */
  readonly faults: readonly string[];
  readonly passes: readonly Passed[];
}

export interface Passed {
  readonly id: string;
  /** Whether a unit left with it: what only shortens takes no passage out. */
  readonly drops: boolean;
  readonly told: EventData["history.compacted"];
  /** What the lexical judge said; null: it was not asked, or had nothing to ask. */
  readonly fidelity: EventData["fidelity.evaluated"] | null;
}

/** Plays the run in a window of so many tokens, without a model. `settings`: over the defaults. */
export async function heldRun(file: string, windowTokens: number, settings: JsonObject = {}): Promise<HeldRun> {
  const run = parseRun(readFileSync(file, "utf8"), basename(file));
  const { messages } = conversationIn(run, "openai");
  const format = messageFormats.openai;
  const events: PublishedEvent[] = [];
  const manager = await ContextWindowManager.open({ onEvents: (some) => events.push(...some) });
  const session = { session_id: "held" };
  const found: string[] = [];
  const task = messages.find(({ role }) => role === "user");
  let turns = 0;
  let beyondWindow = 0;
  let waiting: JsonObject[] = [];
  try {
    await manager.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: windowTokens, settings });
    for (const [index, message] of messages.entries()) {
      if (message["role"] !== "assistant") {
        if (message["role"] === "tool" && waiting.length === 0) await manager.call("on_tool_result", resultOf(message));
        else waiting.push(message);
        continue;
      }
      const reply = await manager.call("on_turn_start", { ...session, messages: waiting });
      waiting = [];
      turns++;
      const fits = !floorExceeds(reply.advice, windowTokens);
      if (!fits) beyondWindow++;
      const said = task && messages.slice(0, index).includes(task) ? task : null;
      const faults = [
        ...format.check({ messages: reply.messages as JsonObject[] }).map((finding) => JSON.stringify(finding)),
        ...(fits && reply.reading.tokens > windowTokens ? [`${reply.reading.tokens} tokens`] : []),
        ...(said === null || holds(reply.messages as JsonObject[], said) ? [] : ["the task is not as it was"]),
      ];
      found.push(...faults.map((fault) => `turn ${turns}: ${fault}`));
      await manager.call("on_turn_end", { ...session, message });
    }
  } finally {
    await manager.close();
  }
  return { name: run.id, turns, beyondWindow, faults: found, passes: passesIn(events) };
}

function resultOf(message: JsonObject) {
  const { tool_call_id, content = "" } = message;
  return { session_id: "held", tool_call_id: String(tool_call_id), tool_name: "tool", content: content as string };
}

function floorExceeds(advice: readonly unknown[], windowTokens: number): boolean {
  const floors = advice.flatMap((each) => (each as { floor?: { floor_tokens: number } }).floor ?? []);
  return floors.some(({ floor_tokens }) => floor_tokens > windowTokens);
}

/** Byte for byte: as JSON text. */
function holds(messages: readonly JsonObject[], sought: JsonObject): boolean {
  const text = JSON.stringify(sought);
  return messages.some((message) => JSON.stringify(message) === text);
}

function passesIn(events: readonly PublishedEvent[]): Passed[] {
  const dropped = new Set(
    of(events, "block.evicted").flatMap(({ method, pass_id }) => (method === "drop" ? pass_id : [])),
  );
  const judged = new Map(of(events, "fidelity.evaluated").map((event) => [event.pass_id, event]));
  return of(events, "history.compacted").map((told) => {
    const id = told.pass_id;
    return { id, drops: dropped.has(id), told, fidelity: judged.get(id) ?? null };
  });
}

function of<T extends EventType>(events: readonly PublishedEvent[], type: T): EventData[T][] {
  return events.filter((event) => event.type === type).map((event) => event.data as EventData[T]);
}
