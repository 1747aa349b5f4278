import { indexOfWord, trimmed, withoutEscapes } from "../lines/index.ts";
import { type MessageFormat, messageFormats, type RenderedContext, type SplitMessage } from "../messages/index.ts";
import type { JsonObject } from "../model/json.ts";
import type { MessageFormatName } from "../model/message.ts";
import type { MessageTokens } from "./counting.ts";
import { linesOfMessage } from "./message-text.ts";
import type { RunNeeds } from "./needs.ts";

/** What a message that was sent is worth to the measure. Equal messages have one reading: compare by identity. */
export interface Reading {
  /** Of this text among all that were read of the run. */
  readonly number: number;
  readonly tokens: number;
  /** Needed values on lines that stand as they do in the run. */
  readonly onLines: readonly number[];
  /** Needed values in the rest of the text: cut lines, placeholders, notes. */
  readonly inText: readonly number[];
}

/** Reads the messages of contexts, each text once for all replays of a run. */
export class Readings {
  readonly #needs: RunNeeds;
  readonly #format: MessageFormat;
  readonly #tokensOf: MessageTokens;
  readonly #trunk: Readings | null;
  readonly #known = new Map<string, Reading>();

  constructor(needs: RunNeeds, format: MessageFormatName, tokensOf: MessageTokens, trunk: Readings | null = null) {
    this.#needs = needs;
    this.#format = messageFormats[format];
    this.#tokensOf = tokensOf;
    this.#trunk = trunk;
  }

  /** Readings that know what these do and remember what they read themselves: to be dropped after a replay. */
  branch(): Readings {
    return new Readings(this.#needs, this.#format.name, this.#tokensOf, this);
  }

  /** One reading a message, the system prompt first where it stands beside the messages. */
  of({ system, messages }: RenderedContext): Reading[] {
    const readings = messages.map((message) => this.ofMessage(message));
    if (system === undefined) return readings;
    return [
      this.#remembered(`system ${JSON.stringify(system)}`, () => this.#format.splitSystem(system, "system")),
      ...readings,
    ];
  }

  ofMessage(message: JsonObject): Reading {
    return this.#remembered(JSON.stringify(message), () => this.#format.split(message, "message"));
  }

  /** The reading of a text that was read before. */
  known(key: string): Reading | undefined {
    return this.#known.get(key);
  }

  #remembered(key: string, split: () => SplitMessage): Reading {
    let reading = this.#known.get(key) ?? this.#trunk?.known(key);
    if (reading === undefined) {
      reading = this.#read(split());
      this.#known.set(key, reading);
    }
    return reading;
  }

  /** Texts that it knows. */
  get size(): number {
    return this.#known.size + (this.#trunk?.size ?? 0);
  }

  #read(message: SplitMessage): Reading {
    const { onLine, lines, values } = this.#needs;
    const onLines = new Set<number>();
    const altered: string[] = [];
    for (const line of linesOfMessage(message.role, message.parts)) {
      const key = trimmed(line);
      for (const index of onLine.get(key) ?? []) onLines.add(index);
      if (!lines.has(key)) altered.push(withoutEscapes(line));
    }
    const text = altered.join("\n");
    const inText = text === "" ? [] : values.flatMap((value, index) => (indexOfWord(text, value) >= 0 ? [index] : []));
    return { number: this.size, tokens: this.#tokensOf(message), onLines: [...onLines], inText };
  }
}
