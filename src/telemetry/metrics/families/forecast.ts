import { Histogram } from "prom-client";
import { type EventOf, type MetricFamily, profileOf } from "../family.ts";

/** The forecast that is held to account is the first that says "red within this many turns": the one people act on. */
const HORIZON_TURNS = 5;
const REMEMBERED = 50_000;

interface Forecast {
  readonly turn: number;
  readonly turnsUntilRed: number;
}

export const forecast: MetricFamily = ({ registry, bounds }) => {
  const turnsUntilRed = new Histogram({
    name: "contextd_turns_until_red",
    help: "Forecast turns until a session's context is red, observed once a turn while it grows.",
    labelNames: ["profile"],
    buckets: [0, 1, 2, 3, 5, 8, 13, 20, 40, 80],
    registers: [registry],
  });
  const error = new Histogram({
    name: "contextd_forecast_error_turns",
    help: "When red is reached: how far the forecast was off, by direction (late: red came later than forecast).",
    labelNames: ["profile", "direction"],
    buckets: [0.25, 0.5, 1, 2, 3, 5, 8, 13],
    registers: [registry],
  });
  const open = new Map<string, Forecast>();

  const settle = (event: EventOf<"pressure.measured">, made: Forecast): void => {
    // Two directions in place of a sign: a histogram's sum must not fall, or rate() takes it for a restart.
    const late = event.data.turn - made.turn - made.turnsUntilRed;
    error.observe({ profile: profileOf(event, bounds), direction: late >= 0 ? "late" : "early" }, Math.abs(late));
  };

  return {
    onTurn(event) {
      const turns = event.data.turns_until_red;
      if (turns !== null) turnsUntilRed.observe({ profile: profileOf(event, bounds) }, turns);
    },
    on: {
      "pressure.measured": (event) => {
        const key = `${event.tenant}/${event.session}`;
        const { data } = event;
        const made = open.get(key);
        const edited = data.moment === "edit";
        if (data.zone === "red" || edited) {
          // An edit moves the goal: a forecast made before it says nothing about what comes after.
          if (made !== undefined && !edited && data.turn > made.turn) settle(event, made);
          open.delete(key);
        } else if (data.turns_until_red !== null && (made === undefined || made.turnsUntilRed > HORIZON_TURNS)) {
          open.set(key, { turn: data.turn, turnsUntilRed: data.turns_until_red });
          if (open.size > REMEMBERED) open.delete(open.keys().next().value as string);
        }
      },
      "session.closed": (event) => open.delete(`${event.tenant}/${event.session}`),
    },
  };
};
