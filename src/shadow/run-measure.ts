import type { MessageFormatName } from "../model/message.ts";
import type { DistinctLines } from "../replay/distinct-lines.ts";
import { isOverfull } from "../replay/windows.ts";
import type { RelativePrices } from "../tokens/index.ts";
import type { Arrived } from "./followed-call.ts";
import type { PolicyMeasure } from "./policy-measure.ts";
import { RunningNeeds } from "./running-needs.ts";

type Measured = Parameters<RunningNeeds["add"]>[0];

interface RunWindow {
  readonly format: MessageFormatName;
  /** What the contexts of the live policy may hold. */
  readonly windowTokens: number;
  readonly prices: RelativePrices;
}

/** What a session's agent has sent so far, whole: its needs, and what it would weigh without any management. */
export class RunMeasure {
  readonly #needs: RunningNeeds;
  #tokens = 0;
  #pinnedTokens = 0;
  /** Tokens of the step under way: from the latest answer on. */
  #stepTokens = 0;
  #hasUserMessage = false;

  constructor(background: ReadonlySet<string>) {
    this.#needs = new RunningNeeds(background);
  }

  get lines(): DistinctLines {
    return this.#needs.lines;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** Takes a message in. An answer of the model measures the policies by what each has handed out. */
  add(arrived: Arrived, { format, windowTokens, prices }: RunWindow, policies: readonly PolicyMeasure[]): void {
    const { role, tokens } = arrived;
    for (const message of measuredMessages(arrived, format)) {
      const needs = this.#needs.add(message);
      if (needs === null) continue;
      const judged = !isOverfull(this.#pinnedTokens + this.#stepTokens, windowTokens);
      const answer = { needs: judged ? needs : [], unmanagedTokens: this.#tokens, prices };
      for (const policy of policies) policy.answered(answer);
      this.#stepTokens = 0;
    }
    this.#tokens += tokens;
    const isTask = role === "user" && !this.#hasUserMessage;
    this.#hasUserMessage ||= role === "user";
    if (role === "system" || isTask) this.#pinnedTokens += tokens;
    else this.#stepTokens += tokens;
  }
}

/** A message in its OpenAI form, as far as its lines go: each result is a message, and Anthropic's thinking is none. */
function measuredMessages({ role, blocks }: Arrived, format: MessageFormatName): Measured[] {
  const parts = blocks.map((block) => block.part);
  if (format === "openai") return [{ role, parts }];
  const results = parts.filter((part) => part.kind === "tool_result");
  const rest = parts.filter((part) => part.kind !== "tool_result" && part.kind !== "thinking");
  const messages: Measured[] = results.map((result) => ({ role: "tool", parts: [result] }));
  if (results.length === 0 || rest.length > 0) messages.push({ role, parts: rest });
  return messages;
}
