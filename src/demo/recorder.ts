import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../model/json.ts";
import { type ToolCall, wires } from "./wire.ts";

/** What a recording says of its run. */
export interface RunLabels {
  readonly id: string;
  readonly model: string;
  readonly task: string;
}

/**
 * Keeps a run as it was without any management: OpenAI chat messages, each tool result whole. As a file it is JSONL, one
 * line of metadata and then one message a line: the shape of recorded runs everywhere in this project.
 */
export class Recorder {
  readonly #labels: RunLabels;
  readonly #messages: JsonObject[] = [];

  constructor(labels: RunLabels) {
    this.#labels = labels;
  }

  say(role: "system" | "user", text: string): void {
    this.#messages.push({ role, content: text });
  }

  answer(text: string, calls: readonly ToolCall[]): void {
    this.#messages.push(wires.openai.assistant(text, calls));
  }

  result(callId: string, name: string, content: string): void {
    this.#messages.push({ role: "tool", tool_call_id: callId, name, content });
  }

  /** The file's text. A turn that was cut short is left out: its calls have no results. */
  text(): string {
    const messages = this.#completeMessages();
    const assistants = messages.filter((message) => message["role"] === "assistant");
    const metadata = {
      id: this.#labels.id,
      family: "demo",
      source: "contextd demo",
      model: this.#labels.model,
      task: this.#labels.task,
      n_messages: messages.length,
      n_assistant: assistants.length,
      n_tool_calls: assistants.reduce((sum, message) => sum + callsOf(message), 0),
      approx_tokens: messages.reduce((sum, message) => sum + Math.ceil(charactersOf(message) / 4) + 4, 0),
    };
    return [metadata, ...messages].map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  /** Writes `<id>.jsonl` into the folder and answers its path. */
  write(folder: string): string {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${this.#labels.id}.jsonl`);
    writeFileSync(file, this.text());
    return file;
  }

  #completeMessages(): readonly JsonObject[] {
    const last = this.#messages.findLastIndex((message) => message["role"] === "assistant");
    const message = this.#messages[last];
    if (message === undefined) return this.#messages;
    const results = this.#messages.length - 1 - last;
    return results >= callsOf(message) ? this.#messages : this.#messages.slice(0, last);
  }
}

function callsOf(message: JsonObject): number {
  const calls = message["tool_calls"];
  return Array.isArray(calls) ? calls.length : 0;
}

function charactersOf(message: JsonObject): number {
  return String(message["content"] ?? "").length + JSON.stringify(message["tool_calls"] ?? "").length - 2;
}
