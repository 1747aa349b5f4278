import type { EvictionContext } from "../../src/eviction/index.ts";
import {
  DEFAULT_MERGE,
  type ProtectionSettings,
  protect,
  SimilarityIndex,
  SupersededIndex,
} from "../../src/eviction/index.ts";
import type { Block, BlockType, ToolUse } from "../../src/model/block.ts";
import { handleOf } from "../../src/model/block.ts";
import { type Part, textOf } from "../../src/model/part.ts";
import type { Unit } from "../../src/model/unit.ts";

/** A plain counter for tests: a token is up to four characters. */
export const countCharacters = (text: string): number => Math.ceil(text.length / 4);

export function textPart(text: string): Part {
  return { kind: "text", text, wire: { type: "text", text } };
}

export function thinkingPart(text: string): Part {
  return { kind: "thinking", text, wire: { type: "thinking", thinking: text, signature: "s" } };
}

export function callPart(callId: string, name: string, args: unknown): Part {
  return { kind: "tool_call", callId, name, argumentsText: JSON.stringify(args), wire: null };
}

export function resultPart(callId: string, text: string, isError = false): Part {
  return { kind: "tool_result", callId, isError, text, attachments: [], wire: null };
}

interface BlockSpec {
  readonly type: BlockType;
  readonly part: Part;
  readonly tool?: ToolUse | null;
  readonly tokens?: number;
}

/** Builds units and blocks as the manager keeps them, with ids in order of arrival. */
export class ContextBuilder {
  readonly units: Unit[] = [];
  turn = 0;
  #blocks = 0;
  #messages = 0;
  #calls = 0;

  /** Begins the next turn. */
  nextTurn(turns = 1): this {
    this.turn += turns;
    return this;
  }

  /** One unit of one message. */
  unit(...specs: BlockSpec[]): Unit {
    const unit: Unit = { id: this.units.length + 1, turn: this.turn, blocks: [], tokens: 0, pendingCalls: new Set() };
    this.units.push(unit);
    this.#messages++;
    for (const spec of specs) this.add(unit, spec);
    return unit;
  }

  add(unit: Unit, spec: BlockSpec): Block {
    const id = `b${++this.#blocks}`;
    const hash = this.#blocks.toString(16).padStart(64, "0");
    const tokens = spec.tokens ?? countCharacters(textOf(spec.part)) + 3;
    const block: Block = {
      id,
      messageId: `m${this.#messages}`,
      unitId: unit.id,
      type: spec.type,
      turn: this.turn,
      tool: spec.tool ?? null,
      hash,
      handle: handleOf(hash),
      originalTokens: tokens,
      approximate: false,
      part: spec.part,
      partHash: hash,
      tokens,
      state: "whole",
      pinned: false,
      generation: 0,
      lastReferencedTurn: null,
      referenceCount: 0,
    };
    unit.blocks.push(block);
    unit.tokens += tokens;
    return block;
  }

  system(text: string): Unit {
    return this.unit({ type: "system_prompt", part: textPart(text) });
  }

  user(text: string): Unit {
    return this.unit({ type: "user_message", part: textPart(text) });
  }

  assistant(text: string): Unit {
    return this.unit({ type: "assistant_response", part: textPart(text) });
  }

  /** An assistant message that calls one tool; a null result has not arrived. */
  call(
    name: string,
    args: unknown,
    result: string | null,
    options: { thinking?: string; isError?: boolean } = {},
  ): Unit {
    const callId = `call_${++this.#calls}`;
    const tool: ToolUse = { callId, name, argumentsText: JSON.stringify(args) };
    const unit = this.unit(
      ...(options.thinking === undefined ? [] : [{ type: "thinking" as const, part: thinkingPart(options.thinking) }]),
      { type: "assistant_response", part: callPart(callId, name, args), tool },
    );
    if (result === null) {
      unit.pendingCalls = new Set([...unit.pendingCalls, callId]);
      return unit;
    }
    this.#messages++;
    this.add(unit, { type: "tool_result", part: resultPart(callId, result, options.isError), tool });
    return unit;
  }

  get blocks(): Block[] {
    return this.units.flatMap((unit) => unit.blocks);
  }

  get tokens(): number {
    return this.blocks.reduce((sum, block) => sum + block.tokens, 0);
  }

  /** The context of a pass with fresh indexes. */
  context(
    overrides: Partial<EvictionContext> = {},
    settings: ProtectionSettings = {
      keepRecentUnits: 3,
      keepRecentTokens: Number.POSITIVE_INFINITY,
      keepUserTokens: 0,
      protectedTypes: [],
    },
  ): EvictionContext {
    const taskText = overrides.taskText ?? "";
    const similarity = new SimilarityIndex();
    const superseded = new SupersededIndex();
    similarity.setTask(taskText);
    for (const block of this.blocks) {
      similarity.add(block, textOf(block.part));
      superseded.add(block);
    }
    return {
      turn: this.turn,
      windowTokens: 8_000,
      units: this.units,
      taskText,
      similarity,
      superseded,
      reneedRate: () => 0,
      protection: protect(this.units, settings),
      merge: DEFAULT_MERGE,
      canRecall: true,
      count: countCharacters,
      tokensWith: (_block, text) => countCharacters(text) + 3,
      ...overrides,
    };
  }
}
