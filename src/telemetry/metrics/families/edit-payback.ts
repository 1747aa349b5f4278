import { Histogram } from "prom-client";
import type { GateFigures, PublishedEvent } from "../../../model/events.ts";
import { type MetricFamily, profileOf } from "../family.ts";

/** Sessions whose last edit is remembered; beyond them the one that was edited longest ago is forgotten. */
const SESSIONS = 10_000;
/** What is observed for an edit that never paid back: above the last bucket, and finite, so that the sum stays a number. */
const NEVER = 144;

interface LastEdit {
  readonly profile: string;
  readonly neededTurns: number;
  turns: number;
}

/**
 * Realised payback of the edits that the gate decided. By the gate's figures (eviction/gate.ts) an edit costs `cost` once,
 * and saves `tokens_freed * read_price` with each turn that follows, so it pays back with the turn of the number
 *
 *     ceil(cost / (tokens_freed * read_price))
 *
 * which is observed once that turn has passed. Where a further edit, or the end of the session, comes first, it never
 * does. Turns are counted by the starts of the next ones; only the last edit of a session is remembered.
 */
export const editPayback: MetricFamily = ({ registry, bounds }) => {
  const payback = new Histogram({
    name: "contextd_edit_payback_turns",
    help: "Turns in which an edit that the break-even gate decided paid back what it cost; above the last bucket: a further edit, or the session's end, came first.",
    labelNames: ["profile"],
    buckets: [1, 2, 3, 5, 8, 13, 21, 34, 55, 89],
    registers: [registry],
  });
  const edits = new Map<string, LastEdit>();

  const end = (key: string): void => {
    const edit = edits.get(key);
    if (edit === undefined) return;
    edits.delete(key);
    payback.observe({ profile: edit.profile }, NEVER);
  };

  return {
    on: {
      "history.compacted": (event) => {
        const key = keyOf(event);
        end(key);
        const { gate } = event.data;
        if (gate === null || !gate.decided) return;
        edits.set(key, { profile: profileOf(event, bounds), neededTurns: turnsNeeded(gate), turns: 0 });
        if (edits.size <= SESSIONS) return;
        const [oldest] = edits.keys();
        edits.delete(oldest as string);
      },
      "turn.started": (event) => {
        const key = keyOf(event);
        const edit = edits.get(key);
        if (edit === undefined) return;
        edit.turns += 1;
        if (edit.turns < edit.neededTurns) return;
        edits.delete(key);
        payback.observe({ profile: edit.profile }, edit.turns);
      },
      "session.closed": (event) => end(keyOf(event)),
    },
  };
};

/** Infinite where the freed tokens cost nothing to read. */
function turnsNeeded({ cost, tokens_freed, read_price }: GateFigures): number {
  return Math.max(1, Math.ceil(cost / (tokens_freed * read_price)));
}

function keyOf({ tenant, session }: PublishedEvent): string {
  return JSON.stringify([tenant, session]);
}
