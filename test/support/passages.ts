import type { BlockType, ToolUse } from "../../src/model/block.ts";
import type { Passage } from "../../src/model/passage.ts";

/** Passages of a made-up session, a turn for each thing the agent says or calls. */
export class PassageBuilder {
  readonly passages: Passage[] = [];
  #turn = 0;
  #unit = 0;

  says(text: string, type: BlockType = "assistant_response"): this {
    this.#turn++;
    this.#unit++;
    return this.#add(type, text, null, false);
  }

  asked(text: string): this {
    this.#unit++;
    return this.#add("user_message", text, null, false);
  }

  /** A call and its result. */
  calls(name: string, args: unknown, result: string, isError = false): this {
    this.#turn++;
    this.#unit++;
    const argumentsText = typeof args === "string" ? args : JSON.stringify(args);
    const tool: ToolUse = { callId: `call-${this.#unit}`, name, argumentsText };
    this.#add("assistant_response", `${name} ${argumentsText}`, tool, false);
    return this.#add("tool_result", result, tool, isError);
  }

  shell(command: string, result: string): this {
    return this.calls("bash", { command }, result);
  }

  #add(type: BlockType, text: string, tool: ToolUse | null, isError: boolean): this {
    const blockId = `b${this.passages.length + 1}`;
    this.passages.push({ blockId, unitId: this.#unit, turn: this.#turn, type, tool, isError, text });
    return this;
  }
}

/** A count that is quick and additive enough: four characters a token. */
export function quarterCount(text: string): number {
  return Math.ceil(text.length / 4);
}
