import { noteTurn } from "../../budget/index.ts";
import { foldPressure } from "../../pressure/index.ts";
import type { Folds } from "./fold.ts";

/** Totals kept for sparklines in lists. */
const RECENT_TOTALS = 28;

/** What was measured of a session. */
export const pressureFolds = {
  "usage.anchored": (session, data) => {
    session.anchor = { tokens: data.tokens, rawTokens: data.raw_tokens, source: data.source };
  },
  "pressure.measured": (session, data) => {
    // The event tells all of it: settings may have changed since.
    session.pressure = foldPressure(session.pressure, data);
    session.reading = {
      tokens: data.tokens,
      max_tokens: data.max_tokens,
      utilization: data.utilization,
      zone: data.zone,
      velocity_tokens_per_turn: data.velocity_tokens_per_turn,
      turns_until_red: data.turns_until_red,
      turns_until_red_p90: data.turns_until_red_p90,
      source: data.source,
      window_guessed: data.window_guessed,
    };
    if (data.moment !== "turn") return;
    session.burn = noteTurn(session.burn, session.componentTokens, session.freedSinceLastTurn);
    session.recentTokens.push(data.tokens);
    if (session.recentTokens.length > RECENT_TOTALS) session.recentTokens.shift();
    session.rawAtLastTurn = session.rawTokens;
    session.freedSinceLastTurn = {};
  },
  "budget.soft_exceeded": (session, data) => {
    session.budgetStates = { ...session.budgetStates, [data.component]: "soft" };
  },
  "budget.hard_exceeded": (session, data) => {
    session.budgetStates = { ...session.budgetStates, [data.component]: "hard" };
  },
  "budget.recovered": (session, data) => {
    session.budgetStates = { ...session.budgetStates, [data.component]: data.state };
  },
} satisfies Folds;
