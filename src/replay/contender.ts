import type { RenderedContext } from "../messages/index.ts";
import type { PreparedRun } from "./prepared-run.ts";

/** What a policy hands to the model at one turn of a run. */
export interface ReplayRequest {
  readonly context: RenderedContext;
  /** Identity of each of the context's messages: one that is sent again has the same one. */
  readonly ids: readonly string[];
  /** Single edits made for it; 0 when the context only grew. */
  readonly edits: number;
  /** Whether it is the first one of a new window; absent: there are no windows. */
  readonly opensWindow?: boolean;
}

/** A policy that takes part in a replay. */
export interface Contender {
  readonly name: string;
  /** The requests of the run, one for each assistant message; contexts hold at most `window` tokens where it can be. */
  play(run: PreparedRun, window: number): AsyncIterable<ReplayRequest> | Iterable<ReplayRequest>;
}

/** Takes part as the best of several for each run: the highest line recall, and of equals the lowest cost. */
export interface BestOf {
  readonly name: string;
  readonly bestOf: readonly Contender[];
}
