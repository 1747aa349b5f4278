import { type Config, type Plugins, resolveSettings } from "../config/index.ts";
import type { NeedModel } from "../ledger/index.ts";
import type { AnyCommand } from "../manager/commands/command.ts";
import { commands } from "../manager/commands/index.ts";
import { messageFormats, type RenderedContext } from "../messages/index.ts";
import type { Clock } from "../model/clock.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Part } from "../model/part.ts";
import type { ModelCatalogue, TokenCounter } from "../tokens/index.ts";
import type { Contender, ReplayRequest } from "./contender.ts";
import { REPLAY_MODEL } from "./counting.ts";
import { ManagedSession } from "./managed-session.ts";
import type { PreparedRun } from "./prepared-run.ts";
import { sessionWindow } from "./windows.ts";

export interface ManagedParts {
  readonly config: Config;
  readonly plugins: Plugins;
  readonly catalogue: ModelCatalogue;
  readonly counter: TokenCounter;
  readonly needModel: NeedModel;
}

/** Time from one call to the next, in ms: an agent's calls take seconds. */
const STEP_MS = 1000;
/** Where the virtual clock starts: 2025-01-01, so that a replay is the same on any day. */
const START_MS = Date.UTC(2025, 0, 1);

/** Time that moves with the calls of a replay. */
class SteppingClock implements Clock {
  #ms = START_MS;

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms - START_MS;
  }

  step(): void {
    this.#ms += STEP_MS;
  }
}

/** Settings of a replayed session over the config's. */
export interface ManagedSettings {
  /** Absent: the config's own. */
  readonly profile?: string;
  readonly settings: JsonObject;
  /** The share of the window at which the session acts, where it is not the orange threshold. */
  readonly actsAt?: number;
}

/**
 * A session as the daemon runs it: the same manager over a journal in memory, called as an agent calls the hooks, with
 * the config's settings for everything but the given ones and the window.
 *
 * @param own what differs from the config; by default the policy alone, which is named like the contender.
 */
export function managedContender(
  name: string,
  parts: ManagedParts,
  own: ManagedSettings = { settings: { eviction: { policy: name } } },
): Contender {
  return { name, play: (run, window) => playManaged(own, parts, run, window) };
}

async function* playManaged(
  { profile, settings, actsAt }: ManagedSettings,
  parts: ManagedParts,
  run: PreparedRun,
  window: number,
): AsyncGenerator<ReplayRequest> {
  const session = new ReplaySession(parts);
  const format = messageFormats[run.format];
  const { messages, system } = run.conversation;
  const resolved = resolveSettings(parts.config, profile ?? parts.config.profile, settings);
  await session.call("session.open", {
    agent: run.recorded.family,
    ...(profile === undefined ? {} : { profile }),
    model: REPLAY_MODEL,
    message_format: run.format,
    max_context_tokens: actsAt === undefined ? sessionWindow(window, resolved) : Math.floor(window / actsAt),
    ...(system === undefined ? {} : { system }),
    settings,
  });
  const toolNames = new Map<string, string>();
  let waiting: JsonObject[] = [];
  try {
    for (const [index, message] of messages.entries()) {
      const { role, parts: pieces } = format.split(message, `messages[${index}]`);
      const results = resultsOf(message, pieces);
      if (role === "assistant") {
        const reply = await session.call("on_turn_start", { messages: waiting });
        waiting = [];
        yield {
          context: contextOf(reply),
          ids: reply["message_ids"] as string[],
          edits: (reply["applied"] as Json[]).length,
          opensWindow: reply["checkpoint"] !== null,
        };
        await session.call("on_turn_end", { message });
        for (const piece of pieces) if (piece.kind === "tool_call") toolNames.set(piece.callId, piece.name);
      } else if (results !== null && waiting.length === 0) {
        for (const { callId, isError, content } of results) {
          const name = toolNames.get(callId) ?? "tool";
          const result = { tool_call_id: callId, tool_name: name, content, is_error: isError };
          await session.call("on_tool_result", result);
        }
      } else waiting.push(message);
    }
  } finally {
    await session.end();
  }
}

/** A session whose clock steps with its calls. */
class ReplaySession {
  readonly #clock = new SteppingClock();
  readonly #session: ManagedSession;

  constructor({ config, plugins, catalogue, counter, needModel }: ManagedParts) {
    this.#session = new ManagedSession({
      config: () => config,
      catalogue: () => catalogue,
      plugins,
      counter,
      clock: this.#clock,
      needModel,
    });
  }

  async call(name: keyof typeof commands, params: JsonObject): Promise<JsonObject> {
    this.#clock.step();
    return (await this.#session.call(commands[name] as AnyCommand, params)) as JsonObject;
  }

  async end(): Promise<void> {
    await this.#session.end();
  }
}

function contextOf(reply: JsonObject): RenderedContext {
  const messages = reply["messages"] as JsonObject[];
  const system = reply["system"];
  return system === undefined ? { messages } : { system, messages };
}

interface Result {
  readonly callId: string;
  readonly isError: boolean;
  readonly content: Json;
}

/** The results of a message that holds nothing else: they go through the hook for them. Else null. */
function resultsOf(message: JsonObject, parts: readonly Part[]): readonly Result[] | null {
  const results = parts.filter((part) => part.kind === "tool_result");
  if (results.length === 0 || results.length < parts.length) return null;
  return results.map(({ callId, isError, wire }) => {
    const content = message["role"] === "tool" ? message["content"] : (wire as JsonObject)["content"];
    return { callId, isError, content: content ?? "" };
  });
}
