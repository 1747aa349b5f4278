import { trimmed } from "../../lines/index.ts";
import { messageFormats } from "../../messages/index.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Contender } from "../contender.ts";
import { linesOfMessage } from "../message-text.ts";
import { type PlainContext, playPlain } from "../peers/plain-context.ts";
import type { PreparedRun } from "../prepared-run.ts";
import { Future } from "./future.ts";

/** Share of the window that a batch goes down to, the ledger included. */
const LOW = 0.8;
/** Tokens of the ledger at most, and as a share of the window. */
const LEDGER_TOKENS = 1500;
const LEDGER_SHARE = 0.15;

const CHARACTERS_PER_TOKEN = 4;
const HEADER = "Lines of earlier messages:";

/** Drops the oldest units, in batches, and carries over those of their lines that will be needed before the next batch. */
export const oracleLedger: Contender = {
  name: "oracle_ledger",
  play(run, window) {
    const ledger = new OracleLedger(run);
    const most = Math.min(LEDGER_TOKENS, LEDGER_SHARE * window);
    return playPlain(run, {
      manage(context) {
        if (context.tokens <= window) return;
        context.setNote(null);
        context.dropUntil(LOW * window - most);
        const rows = ledger.choose(context, window, most);
        while (rows.length > 0) {
          context.setNote([HEADER, ...rows].join("\n"));
          if (context.tokens <= window) return;
          rows.pop();
        }
        context.setNote(null);
      },
    });
  },
};

/** Chooses lines of what has gone, by what will be needed. */
class OracleLedger {
  readonly #run: PreparedRun;
  readonly #future: Future;

  constructor(run: PreparedRun) {
    this.#run = run;
    this.#future = new Future(run);
  }

  /** Lines with the most needed weight per token, each value counted once, the best first; `tokens` of them at most. */
  choose(context: PlainContext, window: number, tokens: number): string[] {
    const wanted = this.#future.needsFrom(context.turn, this.#nextBatch(context, window));
    for (const place of context.places) for (const value of context.valuesAt(place)) wanted.delete(value);
    const candidates = this.#goneLines(context, wanted);
    const chosen: string[] = [];
    let left = tokens - HEADER.length / CHARACTERS_PER_TOKEN;
    while (candidates.size > 0) {
      let best: { line: string; density: number } | null = null;
      for (const [line, values] of candidates) {
        const weight = values.reduce((sum, value) => sum + (wanted.get(value)?.weight ?? 0), 0);
        if (weight === 0 || rowTokens(line) > left) candidates.delete(line);
        else if (best === null || weight / rowTokens(line) > best.density)
          best = { line, density: weight / rowTokens(line) };
      }
      if (best === null) break;
      for (const value of candidates.get(best.line) ?? []) wanted.delete(value);
      candidates.delete(best.line);
      left -= rowTokens(best.line);
      chosen.push(best.line);
    }
    return chosen;
  }

  /** The request at which the window is full again, at the latest: without any ledger. */
  #nextBatch(context: PlainContext, window: number): number {
    const { conversation, readings, arrivals } = this.#run;
    let { tokens, turn } = context;
    let place = arrivals.slice(0, turn + 1).reduce((sum, { fresh }) => sum + fresh, 0);
    while (tokens <= window && ++turn < arrivals.length) {
      const end = place + (arrivals[turn]?.fresh ?? 0);
      for (; place < end; place++) tokens += readings.ofMessage(conversation.messages[place] as JsonObject).tokens;
    }
    return turn;
  }

  /** Lines of dropped messages that hold any of the values. */
  #goneLines(context: PlainContext, wanted: ReadonlyMap<number, unknown>): Map<string, readonly number[]> {
    const { conversation, format, needs, arrivals } = this.#run;
    const came = arrivals.slice(0, context.turn + 1).reduce((sum, { fresh }) => sum + fresh, 0);
    const lines = new Map<string, readonly number[]>();
    for (const [place, message] of conversation.messages.slice(0, came).entries()) {
      if (context.messageAt(place) !== undefined) continue;
      const { role, parts } = messageFormats[format].split(message, `messages[${place}]`);
      for (const line of linesOfMessage(role, parts)) {
        const values = needs.onLine.get(trimmed(line))?.filter((value) => wanted.has(value)) ?? [];
        if (values.length > 0) lines.set(trimmed(line), values);
      }
    }
    return lines;
  }
}

function rowTokens(line: string): number {
  return (line.length + 1) / CHARACTERS_PER_TOKEN;
}
