import type { EventData, GateFigures } from "../../model/events.ts";
import type { Course } from "./course.ts";

/** The balance of a pass after one turn, in fresh input tokens: below 0 it has cost more than it has saved. */
export interface PaybackPoint {
  readonly turn: number;
  readonly forecast: number;
  readonly measured: number | null;
}

export interface Payback {
  readonly points: PaybackPoint[];
  readonly unit: "fresh input tokens";
  /** The first turn whose measured balance is not below 0; null: none so far, or nothing was measured. */
  readonly paid_back_turn: number | null;
}

/** Turns shown at least, behind the break-even, and at most. */
const LEAST_TURNS = 10;
const BEHIND_BREAK_EVEN = 5;
const MOST_TURNS = 100;

export interface PaybackInput {
  readonly gate: GateFigures | null;
  /** Tokens that the pass took out of the prompt, as the provider counts them. */
  readonly tokensFreed: number;
  /** Just before the pass. */
  readonly course: Pick<Course, "turn" | "turnOpen" | "promptTokens">;
  /** Turns that ended behind it, before the prompt was edited again. */
  readonly turns: readonly EventData["turn.ended"][];
  /** Content that was needed again: the turn of the need, and the tokens that came back because of it. */
  readonly cameBack: readonly { readonly turn: number; readonly tokens: number }[];
}

/**
 * What a pass cost and what it saves, turn by turn, added up; null without the gate's figures. A turn is one call of the
 * model, and the first one is that which sent the prompt that the pass left.
 *
 * Forecast, after the nth turn: `n * tokens_freed * read_price - cost`, all three of them the gate's.
 *
 * Measured: what the provider reported of each call, held to the same call without the pass. The prompt would then have
 * been longer by what the pass freed and shorter by what came back since because it was missed; all of it but what was
 * new in that turn would have been read from the cache:
 *
 *     without = (prompt + freed - came back - new) * read_price + new * write_price
 *     with    = read * read_price + created * write_price + (prompt - read - created) * 1
 *
 * `new` is the growth of the prompt since the call before, without what came back. Where the provider does not report
 * what it wrote into its cache (`created`), new tokens cost 1 in both. It leaves out what cannot be known from outside:
 * that the cache might have expired anyway, and further turns that the agent took because something was gone. Null from
 * the first call on of which the provider did not report what it read from the cache, and from the next edit on.
 */
export function paybackOf(input: PaybackInput): Payback | null {
  const { gate, course } = input;
  if (gate === null) return null;
  const first = course.turnOpen ? course.turn : course.turn + 1;
  const measured = measuredBalances(gate, input);
  const measuredTurns = Math.max(0, ...measured.keys()) - first + 1;
  const points = Array.from({ length: horizon(gate, measuredTurns) }, (_, index) => ({
    turn: first + index,
    forecast: (index + 1) * gate.tokens_freed * gate.read_price - gate.cost,
    measured: measured.get(first + index) ?? null,
  }));
  const paid = points.find((point) => point.measured !== null && point.measured >= 0);
  return { points, unit: "fresh input tokens", paid_back_turn: paid?.turn ?? null };
}

/** How many turns to show: past the break-even, and all that were measured. */
function horizon({ cost, tokens_freed, read_price }: GateFigures, measured: number): number {
  const breakEven = Math.ceil(cost / (tokens_freed * read_price));
  const wanted = Number.isFinite(breakEven) ? breakEven + BEHIND_BREAK_EVEN : 0;
  return Math.min(MOST_TURNS, Math.max(LEAST_TURNS, wanted, measured));
}

/** The balance by turn. */
function measuredBalances(
  gate: GateFigures,
  { tokensFreed, course, turns, cameBack }: PaybackInput,
): ReadonlyMap<number, number> {
  const balances = new Map<number, number>();
  let balance = 0;
  // The prompt of the call before, as long as it is now.
  let lastPrompt = course.promptTokens === null ? null : course.promptTokens - tokensFreed;
  for (const { turn, prompt_tokens: prompt, cache_read_input_tokens: read, cache_creation_input_tokens } of turns) {
    if (prompt === null || read === null) break;
    const created = cache_creation_input_tokens ?? 0;
    const freshPrice = cache_creation_input_tokens === null ? 1 : gate.write_price;
    // What is missed in a turn comes back with the prompt of the next.
    const back = cameBack.filter((each) => each.turn < turn).reduce((sum, { tokens }) => sum + tokens, 0);
    const backNow = cameBack.filter((each) => each.turn === turn - 1).reduce((sum, { tokens }) => sum + tokens, 0);
    const grown = lastPrompt === null ? 0 : Math.max(0, prompt - lastPrompt - backNow);
    const without = (prompt + tokensFreed - back - grown) * gate.read_price + grown * freshPrice;
    const withPass = read * gate.read_price + created * gate.write_price + Math.max(0, prompt - read - created);
    balance += without - withPass;
    balances.set(turn, balance);
    lastPrompt = prompt;
  }
  return balances;
}
