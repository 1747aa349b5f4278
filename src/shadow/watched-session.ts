import type { SessionKey } from "../model/session-key.ts";
import type { Journal } from "../store/journal.ts";
import { CallQueue, PrunedError } from "./call-queue.ts";
import type { CandidateOptions } from "./candidate.ts";
import type { StoredCall } from "./followed-call.ts";
import { type PolicyRecord, SideBySide, type SideBySideParts } from "./side-by-side.ts";

/** Why a session is no longer watched. */
export const ENDINGS = [
  "closed",
  "unwatched",
  "idle",
  "history_rewritten",
  "new_window",
  "too_large",
  "journal_pruned",
  "fault",
] as const;
export type Ending = (typeof ENDINGS)[number];

export interface WatchedOptions {
  readonly key: SessionKey;
  readonly candidates: readonly CandidateOptions[];
  /** Whether the session has calls from before it was watched. */
  readonly fromJournal: boolean;
  /** When it began to be watched, ms since the epoch. */
  readonly at: number;
}

export interface WatchedParts extends SideBySideParts {
  readonly journal: Pick<Journal, "rows" | "contents">;
}

/** What is left of a session that is no longer watched. */
interface Remains {
  readonly ending: Ending;
  readonly agent: string;
  readonly profile: string;
  readonly policies: readonly PolicyRecord[];
}

/**
 * A session that is watched: its calls wait here, and are followed one after the other. It ends with the session, or
 * where it could not go on; its figures stay, and nothing else.
 */
export class WatchedSession {
  readonly key: SessionKey;
  readonly #parts: WatchedParts;
  readonly #queue: CallQueue;
  #policies: SideBySide | null;
  #remains: Remains | null = null;
  #lastCallAt: number;

  constructor({ key, candidates, fromJournal, at }: WatchedOptions, parts: WatchedParts) {
    this.key = key;
    this.#parts = parts;
    this.#queue = new CallQueue(key, fromJournal, parts.journal);
    this.#policies = new SideBySide(key, candidates, parts);
    this.#lastCallAt = at;
  }

  /** Why it is no longer watched; null while it is. */
  get ended(): Ending | null {
    return this.#remains?.ending ?? null;
  }

  get agent(): string {
    return this.#policies?.agent ?? this.#remains?.agent ?? "";
  }

  get profile(): string {
    return this.#policies?.profile ?? this.#remains?.profile ?? "";
  }

  /** Calls of the session that have not been followed yet. */
  get callsBehind(): number {
    return this.#policies === null ? 0 : this.#queue.length;
  }

  /** When its latest call was made, ms since the epoch. */
  get lastCallAt(): number {
    return this.#lastCallAt;
  }

  /** The session's own policy first, then the candidates. */
  records(): readonly PolicyRecord[] {
    return this.#policies?.records() ?? this.#remains?.policies ?? [];
  }

  /** The session has taken a call. */
  offer(call: StoredCall): void {
    this.#lastCallAt = call.at;
    if (this.#policies) this.#queue.offer(call);
  }

  /** Does one piece of the work that waits; answers false when none does. Never rejects: a fault ends it. */
  async step(): Promise<boolean> {
    const policies = this.#policies;
    if (!policies) return false;
    try {
      if (await policies.feedNext()) return true;
      const call = await this.#queue.take();
      // It may have been ended while it waited.
      if (call === null || this.#policies === null) return false;
      const ending = policies.follow(call);
      if (ending !== null) await this.end(ending);
    } catch (error) {
      if (!(error instanceof PrunedError)) {
        this.#parts.log.error(placeOf(error), "a session could not be followed any further");
      }
      await this.end(error instanceof PrunedError ? "journal_pruned" : "fault");
    }
    return true;
  }

  /** Frees what it holds but its figures. */
  async end(ending: Ending): Promise<void> {
    const policies = this.#policies;
    if (!policies) return;
    const { agent, profile } = policies;
    this.#remains = { ending, agent, profile, policies: policies.records() };
    this.#policies = null;
    this.#queue.clear();
    await policies.end();
  }
}

/** Where a fault arose, without its message, which may quote content. */
function placeOf(error: unknown): object {
  if (!(error instanceof Error)) return { fault: typeof error };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { fault: error.name, at: frames.slice(0, 3) };
}
