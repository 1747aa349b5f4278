import type { Json, JsonObject } from "../model/json.ts";
import type { MessageFormatName, Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";

/** A wire message taken apart: what the core works with. `join` puts the same message together again. */
export interface SplitMessage {
  readonly role: Role;
  /** Everything of the wire message that is not in a part. Plain JSON, so that it can be journalled. */
  readonly envelope: JsonObject;
  readonly parts: readonly Part[];
}

/** A breach of a provider's published rules. */
export interface Violation {
  /** Where, as in `messages[3].content[1]`, `messages[2].tool_calls[0]` or `system[0]`. */
  readonly path: string;
  /** Stable name of the rule. */
  readonly rule: string;
  /** One sentence. It names roles, types and ids only: never content. */
  readonly detail: string;
}

/** The part of a provider request that contextd manages, in that provider's shape. */
export interface RenderedContext {
  /** Only for formats that carry the system prompt beside the messages. */
  readonly system?: Json;
  readonly messages: JsonObject[];
}

export interface ToolDefinition {
  readonly name: string;
  /** The definition as an `other` part: carried through untouched, and counted. */
  readonly part: Part;
}

/**
 * A provider's message format, both ways. Pure; nothing here copies or scans content beyond what a reading needs.
 *
 * `split`, `splitSystem`, `splitTool` and `toolResult` refuse what cannot be a message at all with a ContextdError
 * `invalid_params` whose `data.path` begins with the given `path`. They are lenient about everything that can be
 * carried through: whether the provider would take it is the question of `check`.
 */
export interface MessageFormat {
  readonly name: MessageFormatName;
  /** True when the system prompt is a field of the request, false when it is the first message. */
  readonly systemBeside: boolean;
  /** True when the results of one assistant message's calls must stand together in one message. */
  readonly resultsShareMessage: boolean;
  /** True when a tool call id may occur once in the whole context, false when it may return in a later message. */
  readonly callIdsUnique: boolean;
  split(wire: unknown, path: string): SplitMessage;
  /**
   * Reads a system prompt: a string or a list of text parts. Joined, it is a message of role system; where
   * `systemBeside` is true, the `content` of that message is the value of the request's `system` field.
   */
  splitSystem(system: unknown, path: string): SplitMessage;
  splitTool(definition: unknown, path: string): ToolDefinition;
  /**
   * A tool's result as the message that carries it. A `content` that is neither text nor the provider's own parts
   * becomes its JSON text. Where the wire form has no error flag, `isError` lives in the part alone.
   */
  toolResult(callId: string, toolName: string, content: unknown, isError: boolean, path: string): SplitMessage;
  /** A message of contextd's own. `text` must not be blank. */
  compose(role: "user" | "assistant" | "system", text: string): SplitMessage;
  /**
   * The same part with `text` in the place of its content, valid on the wire: a result keeps its call id and error
   * flag, a call's arguments become `{"_cleared": text}`, an image or a document becomes a text part. Thinking, and
   * whatever has no content that could be replaced, comes back as it is (the same object).
   */
  withText(part: Part, text: string): Part;
  /** The wire message. `join(split(x))` equals x, key order included, for every accepted x. */
  join(message: SplitMessage): JsonObject;
  /**
   * The last touch on a rendered context, for what no message can know alone: where dropping or remembering messages
   * has broken a rule about the whole list, it is mended without touching text. The same object when all is well.
   */
  settle(context: RenderedContext): RenderedContext;
  /** Whether `settle` may one day change how this message stands in a context, as its neighbours come and go. */
  mayBeSettled(message: SplitMessage): boolean;
  /** The provider's published rules, all of them, in order of the messages. Empty: the context is valid. */
  check(context: RenderedContext): Violation[];
}
