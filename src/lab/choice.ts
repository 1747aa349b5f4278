import type { Summary } from "../manager/summary.ts";
import { ContextdError } from "../model/errors.ts";

/** Sessions of one replay. */
export const MOST_SESSIONS = 50;
/** Tokens that ever came into a session: a larger run is too large to be held whole in memory. */
const MOST_RUN_TOKENS = 4_000_000;
/** Tokens of all runs of one replay: what has been found of each is kept until its end. */
const MOST_TOKENS = 20_000_000;

type Sized = Pick<Summary, "session_id" | "tokens_arrived">;

/**
 * The sessions that are replayed: those named, or the longest ones that fit into one replay. Throws session_not_found
 * for one that is not open, and invalid_params where there is none, or where those named are too large.
 */
export function chosenSessions(open: readonly Sized[], named: readonly string[] | undefined): string[] {
  if (named === undefined) return longest(open);
  const byId = new Map(open.map((summary) => [summary.session_id, summary]));
  let tokens = 0;
  for (const id of new Set(named)) {
    const summary = byId.get(id);
    if (!summary) {
      throw new ContextdError(
        "session_not_found",
        `Session ${id.slice(0, 80)} is not open: of a closed one, replay its export with \`contextd replay\`.`,
      );
    }
    tokens += summary.tokens_arrived;
    if (summary.tokens_arrived > MOST_RUN_TOKENS) throw tooLarge(`Session ${id.slice(0, 80)} has`, MOST_RUN_TOKENS);
    if (tokens > MOST_TOKENS) throw tooLarge("These sessions have", MOST_TOKENS);
  }
  return [...new Set(named)];
}

function longest(open: readonly Sized[]): string[] {
  const chosen: string[] = [];
  let tokens = 0;
  for (const { session_id, tokens_arrived } of [...open].sort((a, b) => b.tokens_arrived - a.tokens_arrived)) {
    if (chosen.length === MOST_SESSIONS) break;
    if (tokens_arrived > MOST_RUN_TOKENS || tokens + tokens_arrived > MOST_TOKENS) continue;
    chosen.push(session_id);
    tokens += tokens_arrived;
  }
  if (chosen.length > 0) return chosen;
  const problem = open.length === 0 ? "No session is open" : "All open sessions are too large";
  throw new ContextdError("invalid_params", `${problem}: there is nothing to replay.`, { path: "session_ids" });
}

function tooLarge(who: string, most: number): ContextdError {
  return new ContextdError(
    "invalid_params",
    `${who} more than ${most} tokens: choose less, or export them and use \`contextd replay\`.`,
    { path: "session_ids" },
  );
}
