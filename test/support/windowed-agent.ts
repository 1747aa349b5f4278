import { messageFormats, type RenderedContext } from "../../src/messages/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";
import { conversationIn, type RecordedRun } from "../../src/replay/recorded-run.ts";
import { readCheckpoint } from "../../src/window/checkpoint/index.ts";
import type { Params, TestManager } from "./manager.ts";
import { CONSTRAINTS, CRITERIA, NOTE, planAt, progressAt, shownFaults, TURNS_A_SUBTASK } from "./windowed-plan.ts";

export interface WindowedOptions {
  readonly session: string;
  readonly format: MessageFormatName;
  readonly window: number;
  readonly settings?: JsonObject;
  /** How the agent tells what is new: message by message, or its whole list, which a new window or a resumption gives it. */
  readonly telling?: "hooks" | "history";
}

/** No eviction within a window: one that is full is closed, and the next one opened. */
export const WINDOW_BY_WINDOW = { eviction: { policy: "none" }, cross_window: { enabled: true } };

const MODELS = { openai: "gpt-4o", anthropic: "claude-sonnet-4" } as const satisfies Record<MessageFormatName, string>;

/** What a reply hands back that holds a context. */
type Handed = Readonly<Record<string, unknown>>;

interface Inspected {
  readonly tokens: number;
  /** Tokens that it may have: the window, or what nothing can free where that is more. */
  readonly most: number;
  /** Whether it is the first context of a new window. */
  readonly isNew: boolean;
  /** Whether it is to be sent as it is. */
  readonly isOpen: boolean;
}

/**
 * Plays a recorded run as an agent with a plan, and looks at every context that is handed back: what is wrong with one
 * is told in `faults`.
 */
export class WindowedAgent {
  readonly faults: string[] = [];
  readonly options: WindowedOptions;
  readonly conversation: RenderedContext;
  host: TestManager;
  turns = 0;
  crossings = 0;
  /** Turns in which what nothing can free is more than the window. */
  beyondWindow = 0;
  windowNumber = 1;
  #at = 0;
  #subtask = 0;
  #stateVersion = 0;
  #waiting: JsonObject[] = [];
  /** The agent's own list, where it keeps one. */
  own: JsonObject[] = [];
  readonly #toolNames = new Map<string, string>();
  readonly #format;

  constructor(host: TestManager, run: RecordedRun, options: WindowedOptions) {
    this.host = host;
    this.options = options;
    this.conversation = conversationIn(run, options.format);
    this.#format = messageFormats[options.format];
  }

  get session() {
    return { session_id: this.options.session };
  }

  get isDone(): boolean {
    return !this.conversation.messages.slice(this.#at).some(({ role }) => role === "assistant");
  }

  /** The turns of the whole run. */
  get length(): number {
    return this.conversation.messages.filter(({ role }) => role === "assistant").length;
  }

  async open(): Promise<void> {
    const { format, window, settings = {} } = this.options;
    const { system } = this.conversation;
    await this.host.call("session.open", {
      ...this.session,
      model: MODELS[format],
      message_format: format,
      max_context_tokens: window,
      task: { goal: "Do what the user asks.", success_criteria: CRITERIA, constraints: CONSTRAINTS },
      ...(system === undefined ? {} : { system }),
      settings,
    });
    await this.host.call("note.write", { ...this.session, text: NOTE, importance: "critical" });
    await this.host.call("task.update", { ...this.session, ...planAt(0) });
  }

  /** Everything up to the answer of the next model call; false where the run is over. */
  async turn(): Promise<boolean> {
    if (this.isDone) return false;
    const answer = await this.start();
    await this.end(answer);
    return true;
  }

  /** Tells what came since the last answer and starts a turn; answers the message that the model gives next. */
  async start(): Promise<JsonObject> {
    const { messages } = this.conversation;
    const isHistory = this.options.telling === "history";
    for (let message = messages[this.#at]; message && message["role"] !== "assistant"; message = messages[++this.#at]) {
      if (isHistory) this.own.push(message);
      else await this.#tell(message);
    }
    const told = isHistory ? { history: this.own } : { messages: this.#waiting };
    this.#waiting = [];
    const reply = await this.host.call("on_turn_start", { ...this.session, ...told });
    this.turns++;
    const most = Math.max(this.options.window, ...reply.advice.map(floorOf));
    if (reply.reading.tokens > this.options.window) this.beyondWindow++;
    const isNew = reply.checkpoint !== null;
    this.inspect(reply, { tokens: reply.reading.tokens, most, isNew, isOpen: true });
    if (isNew) await this.#crossed(reply);
    else if (reply.window_id !== this.windowId) this.fault(`is in window ${reply.window_id}`);
    return messages[this.#at] as JsonObject;
  }

  /** The model's answer: the run's next message. */
  async end(answer: JsonObject): Promise<void> {
    this.#at++;
    if (this.options.telling === "history") this.own.push(answer);
    await this.host.call("on_turn_end", { ...this.session, message: answer, window_id: this.windowId });
    const parts = this.#format.split(answer, "answer").parts;
    for (const part of parts) if (part.kind === "tool_call") this.#toolNames.set(part.callId, part.name);
    if (this.turns % TURNS_A_SUBTASK === 0) {
      await this.host.call("task.update", { ...this.session, ...progressAt(++this.#subtask) });
    }
  }

  /** Closes the window on the agent's own wish. */
  async openWindow(): Promise<void> {
    const reply = await this.host.call("window.open", this.session);
    // A step under way may be larger than the window: then no window change makes it fit.
    const most = Math.max(this.options.window, reply.tokens_before);
    this.inspect(reply, {
      tokens: reply.reading.tokens,
      most,
      isNew: true,
      isOpen: this.#expectsNoResults,
    });
    await this.#crossed(reply);
  }

  get #expectsNoResults(): boolean {
    const last = this.conversation.messages[this.#at - 1];
    return last === undefined || !this.#format.split(last, "last").parts.some(({ kind }) => kind === "tool_call");
  }

  get windowId(): string {
    return `${this.options.session}#${this.windowNumber}`;
  }

  fault(what: string): void {
    this.faults.push(`turn ${this.turns}: ${what}`);
  }

  /** What a context may not be, whatever the window. */
  inspect({ system: beside, messages: handed }: Handed, { tokens, most, isNew, isOpen }: Inspected): void {
    const messages = [...(handed as JsonObject[])];
    // Between two turns the agent still has to bring the results of the calls that end the context.
    const sendable = isOpen ? messages : messages.slice(0, -1);
    const context = beside === undefined ? {} : { system: beside as Json };
    for (const finding of this.#format.check({ ...context, messages: sendable }))
      this.fault(`is invalid: ${JSON.stringify(finding)}`);
    if (tokens > most) this.fault(`${tokens} tokens in a window of ${this.options.window}`);
    const known = this.conversation.messages.slice(0, this.#at);
    const task = known.find(({ role }) => role === "user");
    if (task && !holds(messages, task)) this.fault("the task is not as it was");
    const system = known.find(({ role }) => role === "system");
    if (system && !holds(messages, system)) this.fault("the system prompt is not as it was");
    if (JSON.stringify(beside) !== JSON.stringify(this.conversation.system))
      this.fault("the system prompt beside is not as it was");
    for (const fault of shownFaults(textOf(messages), { subtask: this.#subtask, isNew, crossings: this.crossings }))
      this.fault(fault);
  }

  /** A new window was opened: its figures rise, and its checkpoint is a whole one. */
  async #crossed(reply: Params): Promise<void> {
    this.crossings++;
    this.windowNumber++;
    if (reply["window_id"] !== this.windowId) this.fault(`opened ${String(reply["window_id"])}, not ${this.windowId}`);
    const { checkpoint_id, state_version, window_number } = reply["checkpoint"] as JsonObject;
    if ((state_version as number) <= this.#stateVersion) this.fault("the state's version has not risen");
    if (window_number !== this.windowNumber - 1) this.fault(`the checkpoint is of window ${window_number}`);
    this.#stateVersion = state_version as number;
    const saved = await this.host.call("checkpoint.get", { ...this.session, checkpoint_id });
    const read = readCheckpoint(saved.document);
    if ("malformed" in read) this.fault(`the checkpoint is malformed: ${JSON.stringify(read.malformed)}`);
    if (this.options.telling === "history") this.own = structuredClone([...(reply["messages"] as JsonObject[])]);
  }

  /** A result by its hook, what else there is with the next turn. */
  async #tell(message: JsonObject): Promise<void> {
    const { parts } = this.#format.split(message, "message");
    const results = parts.filter((part) => part.kind === "tool_result");
    if (results.length === 0 || results.length < parts.length || this.#waiting.length > 0) {
      this.#waiting.push(message);
      return;
    }
    for (const { callId, isError, wire } of results) {
      const content = message["role"] === "tool" ? message["content"] : (wire as JsonObject)["content"];
      await this.host.call("on_tool_result", {
        ...this.session,
        tool_call_id: callId,
        tool_name: this.#toolNames.get(callId) ?? "tool",
        content: content ?? "",
        is_error: isError,
        window_id: this.windowId,
      });
    }
  }
}

/** What nothing can free, the answer's room left out; 0 where nothing is said of it. */
function floorOf(advice: unknown): number {
  const { floor } = advice as { floor?: { floor_tokens: number; reserve_tokens: number } };
  return floor ? floor.floor_tokens - floor.reserve_tokens : 0;
}

/** All texts of the messages, as the model reads them. */
function textOf(messages: readonly JsonObject[]): string {
  const texts = messages.map(({ content }) =>
    Array.isArray(content) ? content.map((part) => (part as JsonObject)["text"] ?? "").join("\n") : content,
  );
  return texts.join("\n");
}

/** Byte for byte: as JSON text. */
function holds(messages: readonly JsonObject[], sought: JsonObject): boolean {
  const text = JSON.stringify(sought);
  return messages.some((message) => JSON.stringify(message) === text);
}
