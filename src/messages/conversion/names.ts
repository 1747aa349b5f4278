import { hash } from "node:crypto";

/** Characters that both providers take in tool names and call ids. */
const FOREIGN = /[^a-zA-Z0-9_-]/g;

/** Both providers take names of this length. */
const NAME_LENGTH = 64;

/** OpenAI refuses longer call ids. */
const ID_LENGTH = 40;

/** A tool name that both providers take. Different names stay different. */
export function portableName(name: string): string {
  const clean = name.replace(FOREIGN, "_");
  if (clean === name && name !== "" && name.length <= NAME_LENGTH) return name;
  return `${clean.slice(0, NAME_LENGTH - 9)}_${hash("sha256", name, "hex").slice(0, 8)}`;
}

/**
 * Call ids that both providers take and that are unique in the conversation: recorded runs use an id again in a later
 * batch, which OpenAI takes and Anthropic does not. A result finds its call by the latest call of that id.
 */
export class CallIds {
  readonly #taken = new Set<string>();
  readonly #current = new Map<string, string>();

  forCall(id: string): string {
    const clean = id.replace(FOREIGN, "_").slice(0, ID_LENGTH) || "call";
    let portable = clean;
    for (let repeat = 2; this.#taken.has(portable); repeat++) {
      const suffix = `_${repeat}`;
      portable = clean.slice(0, ID_LENGTH - suffix.length) + suffix;
    }
    this.#taken.add(portable);
    this.#current.set(id, portable);
    return portable;
  }

  forResult(id: string): string {
    return this.#current.get(id) ?? id;
  }
}
