import { pause } from "../client/backoff.ts";
import { type ContextdClient, RpcError } from "../client/index.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { CastMember } from "./cast.ts";
import type { Outcome, Repository } from "./repository.ts";
import { type OwnToolName, runStep, type Step, toolDefinitions } from "./tools.ts";
import { type ToolCall, wires } from "./wire.ts";

export interface DeskDependencies {
  readonly client: ContextdClient;
  readonly repository: Repository;
  readonly signal: AbortSignal;
  /** Time between two turns of a helper, ms. */
  readonly restMs: number;
}

interface Delegation {
  readonly delegation_id: string;
  readonly child_session_id: string;
  readonly task: { readonly prompt: string };
}

const HELPER = "You look into one question for another agent, and answer it with the names of files.";
/** Lines of each file that a helper reads, and of its report on one. */
const HELPER_LINES = 80;
const REPORT_LINES = 6;
/** Time that closing a delegation may take when the demo is interrupted, ms. */
const CLOSE_MS = 3_000;

/** The tools of an agent that have to do with the daemon: text brought back, notes, the todo list, and a helper. */
export class Desk {
  readonly #sessionId: string;
  readonly #member: CastMember;
  readonly #deps: DeskDependencies;
  #recalls = 0;
  readonly #foreign = new Set<string>();

  constructor(sessionId: string, member: CastMember, dependencies: DeskDependencies) {
    this.#sessionId = sessionId;
    this.#member = member;
    this.#deps = dependencies;
  }

  get recalls(): number {
    return this.#recalls;
  }

  /** False for a handle that stands in a file the agent has read, once it has turned out not to be one of its own. */
  mayRecall(handle: string): boolean {
    return !this.#foreign.has(handle);
  }

  run(tool: OwnToolName, args: JsonObject): Promise<Outcome> {
    switch (tool) {
      case "recall":
        return this.#recall(args);
      case "write_note":
        return this.#note(args);
      case "delegate":
        return this.#delegate(args);
      case "TodoWrite":
        // The daemon reads the list from the call itself.
        return Promise.resolve(success("The list is kept."));
    }
  }

  async #recall(args: JsonObject): Promise<Outcome> {
    this.#recalls++;
    try {
      return success((await this.#mutate<{ content: string }>(this.#sessionId, "content.recall", args)).content);
    } catch (error) {
      if (!(error instanceof RpcError) || error.reason !== "content_not_found") throw error;
      this.#foreign.add(String(args["handle"]));
      return { text: error.message, isError: true };
    }
  }

  async #note(args: JsonObject): Promise<Outcome> {
    const { note_id } = await this.#mutate<{ note_id: string }>(this.#sessionId, "note.write", args);
    return success(`Written down as ${note_id}.`);
  }

  /** A helper with a window of its own reads the files and reports; only its report comes back. */
  async #delegate({ title = "", goal = "", files = [] }: JsonObject): Promise<Outcome> {
    const { format, agent } = this.#member;
    // Named here, so that it can be closed even where the answer of its opening is not waited for.
    const helper = `${this.#sessionId}-helper`;
    try {
      const opened = await this.#mutate<Delegation>(this.#sessionId, "delegation.open", {
        title,
        goal,
        files,
        child_session_id: helper,
        child: {
          agent: `${agent}-helper`,
          tools: toolDefinitions().map((tool) => wires[format].tool(tool)),
          ...(format === "anthropic" ? { system: HELPER } : {}),
        },
      });
      const close = { delegation_id: opened.delegation_id };
      const result = await this.#help(opened, (files as string[]).slice(0, 4));
      const closed = await this.#mutate<{ result: string }>(this.#sessionId, "delegation.close", { ...close, result });
      return success(closed.result);
    } catch (error) {
      const close = { session_id: helper, reason: "interrupted" };
      await this.#deps.client.mutate("session.close", close, { deadlineMs: CLOSE_MS }).catch(() => undefined);
      throw error;
    }
  }

  async #help({ child_session_id: child, task }: Delegation, files: readonly string[]): Promise<string> {
    const { restMs, signal, repository } = this.#deps;
    const wire = wires[this.#member.format];
    const report: string[] = [];
    let fresh: JsonObject[] = [{ role: "user", content: task.prompt }];
    for (const [index, path] of files.entries()) {
      await this.#mutate(child, "on_turn_start", { messages: fresh });
      fresh = [];
      const step: Step = { tool: "read_file", args: { path, first_line: 1, lines: HELPER_LINES } };
      const call: ToolCall = { id: `helper_${index + 1}`, name: step.tool, args: step.args };
      const message = wire.assistant(`I read \`${path}\`.`, [call]);
      await this.#mutate(child, "on_turn_end", { message, stop_reason: "tool_calls" });
      const { text, isError } = await runStep(repository, "read_file", step.args);
      await this.#mutate<{ content: Json }>(child, "on_tool_result", {
        tool_call_id: call.id,
        tool_name: call.name,
        content: text,
        ...(isError ? { is_error: true } : {}),
      });
      report.push(`\`${path}\`:`, ...text.split("\n").filter(isTelling).slice(0, REPORT_LINES));
      if (restMs > 0) await pause(restMs, signal);
    }
    const told = report.join("\n");
    await this.#mutate(child, "on_turn_start", { messages: fresh });
    await this.#mutate(child, "on_turn_end", { message: wire.assistant(told, []), stop_reason: "stop" });
    return told;
  }

  #mutate<Result>(sessionId: string, method: string, params: JsonObject): Promise<Result> {
    const { client, signal } = this.#deps;
    return client.mutate<Result>(method, { session_id: sessionId, ...params }, { signal });
  }
}

function isTelling(line: string): boolean {
  return /^(export |\/\*\*|# | \* [A-Z])/.test(line);
}

function success(text: string): Outcome {
  return { text, isError: false };
}
