import type { AnyCommand } from "../manager/commands/command.ts";
import { commands } from "../manager/commands/index.ts";
import type { Hook } from "../manager/hook.ts";
import { appliedEdits } from "../manager/reply.ts";
import type { Session } from "../manager/session.ts";
import type { Clock } from "../model/clock.ts";
import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { ManagedSession } from "../replay/managed-session.ts";
import { candidateCall } from "./candidate-call.ts";
import { type FollowedCall, isArrival } from "./followed-call.ts";
import type { PolicyMeasure } from "./policy-measure.ts";

export interface CandidateOptions {
  readonly name: string;
  /** Any of the session keys, over the settings of the live session. */
  readonly settings: JsonObject;
}

export type CandidateParts = Omit<ConstructorParameters<typeof ManagedSession>[0], "clock">;

/** The clock of the live session's calls. */
class FollowedClock implements Clock {
  #ms = 0;

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  set(ms: number): void {
    this.#ms = ms;
  }
}

/** A candidate's own session: it takes the live session's calls, with settings of its own. */
export class Candidate {
  readonly name: string;
  readonly measure: PolicyMeasure;
  readonly #settings: JsonObject;
  readonly #clock = new FollowedClock();
  readonly #session: ManagedSession;
  /** Ids of the live session's blocks -> its own. */
  readonly #ownIds = new Map<string, string>();
  #state: Session | null = null;
  #ended: string | null = null;

  constructor({ name, settings }: CandidateOptions, measure: PolicyMeasure, parts: CandidateParts) {
    this.name = name;
    this.measure = measure;
    this.#settings = settings;
    this.#session = new ManagedSession({ ...parts, clock: this.#clock });
  }

  /** Why it takes no more calls: the reason of the error that one met with; null while it goes on. */
  get ended(): string | null {
    return this.#ended;
  }

  /** Takes a call of the live session, whose state is that after it. Never rejects: a call that fails ends it. */
  async follow(call: FollowedCall, live: Session): Promise<void> {
    if (this.#ended !== null) return;
    try {
      await this.#follow(call, live);
    } catch (error) {
      this.#ended = error instanceof ContextdError ? error.reason : "fault";
      await this.end();
    }
  }

  async #follow(call: FollowedCall, live: Session): Promise<void> {
    const own = candidateCall(call, {
      settings: this.#settings,
      live,
      own: this.#state,
      ownBlock: (id) => this.#ownBlock(id),
    });
    if (own === null) return;
    this.#clock.set(call.at);
    if (this.#state === null) this.#calibrate(call, live);
    const hook = await this.#call(commands[own.command], own.params);
    this.#calibrate(call, live);
    this.#state = hook.session;
    this.#noteIds(call, own.command, hook);
    if (own.command === "on_turn_start") {
      this.measure.handOut(hook.session.messages, appliedEdits(hook.events).length);
    }
  }

  /** Its counts are taken as the live session's are: what is known of the model after the call holds from the next on. */
  #calibrate({ calibration }: FollowedCall, { model }: Session): void {
    if (calibration !== undefined) this.#session.calibrate(model, calibration);
  }

  /** Frees what it holds; its figures stay. */
  async end(): Promise<void> {
    this.#state = null;
    this.#ownIds.clear();
    await this.#session.end();
  }

  /** The call's hook, in place of a reply that nobody reads. */
  async #call(command: AnyCommand, params: JsonObject): Promise<Hook> {
    const { complete: _complete, ...silent } = command;
    let decided: Hook | null = null;
    await this.#session.call(
      {
        ...silent,
        decide(hook: Hook, given, more) {
          decided = hook;
          return command.decide(hook, given, more);
        },
      },
      params,
    );
    if (decided === null) throw new Error(`${command.name} was not decided`);
    return decided;
  }

  #ownBlock(liveId: string): string | null {
    const id = this.#ownIds.get(liveId);
    return id !== undefined && this.#state?.blocks.has(id) ? id : null;
  }

  /** The same parts came in the same order. */
  #noteIds({ arrived }: FollowedCall, hookName: string, { session, events }: Hook): void {
    const theirs = arrived.flatMap(({ blocks }) => blocks.map((block) => block.id));
    const sources = new Map(
      events.flatMap(({ type, data }) => (type === "message.added" ? [[data.message_id, data.source] as const] : [])),
    );
    const own = events.flatMap(({ type, data }) => {
      if (type !== "block.added" || data.type === "tool_definition") return [];
      const source = sources.get(data.message_id) ?? session.messageById.get(data.message_id)?.source ?? "agent";
      return isArrival(hookName, source) ? [data.block_id] : [];
    });
    for (const [index, id] of theirs.entries()) {
      const ownId = own[index];
      if (ownId !== undefined) this.#ownIds.set(id, ownId);
    }
  }
}
