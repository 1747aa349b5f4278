import type { SessionSettings } from "../config/index.ts";
import { ContextdError } from "../model/errors.ts";
import type { ZoneThresholds } from "../model/zone.ts";
import { effectiveThresholds, outputReserve } from "../pressure/index.ts";

/** A window to replay in: the most tokens that a rendered context may hold. */
export interface WindowSpec {
  /** As it was asked for: `25%`, `16k`, `own`. */
  readonly label: string;
  /** Null where the run does not tell its own window. */
  readonly tokensOf: (run: RunSize) => number | null;
}

interface RunSize {
  readonly tokens: number;
  /** What its contexts held at most in the window that it had; null when the record does not tell. */
  readonly own: number | null;
}

const SPEC = /^(\d+(?:\.\d+)?)(%|k)?$/;

/** The window that each run had, as its record tells. */
const OWN = "own";

/** Reads `25%` (of the run's tokens), `16k` (16,000), `8000` or `own`. Throws invalid_params. */
export function parseWindow(label: string): WindowSpec {
  if (label === OWN) return { label, tokensOf: ({ own }) => own };
  const [, digits, unit] = SPEC.exec(label) ?? [];
  const amount = Number(digits);
  if (!(amount > 0) || (unit === "%" && amount > 100)) {
    throw new ContextdError(
      "invalid_params",
      `${label} is no window: use a share of the run (25%), 16k, 8000 or own.`,
      {
        path: "window",
      },
    );
  }
  if (unit === "%") return { label, tokensOf: (run) => Math.floor((amount / 100) * run.tokens) };
  const tokens = Math.floor(unit === "k" ? amount * 1000 : amount);
  return { label, tokensOf: () => tokens };
}

/** Why a run says nothing at a window. */
export type Unfit =
  | "window_unknown"
  | "window_too_small"
  | "window_does_not_bind"
  | "pinned_too_large"
  | "too_few_needs";

/** Smaller windows hold too few messages to manage. */
const LEAST_WINDOW = 4000;
/** A window binds when the run is this many times its size. */
const BINDING = 1.25;
/** What nobody may evict leaves at least this share of the window to the policy. */
const MOST_FIXED = 0.5;

export function unfitWindow(window: number, run: { readonly tokens: number; readonly pinned: number }): Unfit | null {
  if (window < LEAST_WINDOW) return "window_too_small";
  if (run.tokens < BINDING * window) return "window_does_not_bind";
  return run.pinned > MOST_FIXED * window ? "pinned_too_large" : null;
}

/** Whether what stands at a turn and cannot go takes too much of the window for the policy to be judged by it. */
export function isOverfull(fixedTokens: number, window: number): boolean {
  return fixedTokens > MOST_FIXED * window;
}

/**
 * The window of a managed session whose rendered contexts hold at most `most` tokens. A session acts when its context
 * reaches the orange threshold, a share of its window; so it is given the largest window whose threshold is not above
 * that, and all policies are compared at the same rendered size. Thresholds rise with the window, by classes: where no
 * window has its threshold at `most` exactly, the threshold stands below it.
 */
export function sessionWindow(most: number, settings: SessionSettings): number {
  const trigger = (window: number) => Math.ceil(thresholdsOf(window, settings).orange * window);
  let fits = most;
  let tooLarge = most * 2;
  while (trigger(tooLarge) <= most + 1) tooLarge *= 2;
  while (tooLarge - fits > 1) {
    const middle = Math.floor((fits + tooLarge) / 2);
    // A context that is one token short of the threshold is not touched.
    if (trigger(middle) - 1 <= most) fits = middle;
    else tooLarge = middle;
  }
  return fits;
}

/** The most tokens that a context holds in a window of that many before the session acts. */
export function mostHeld(window: number, settings: SessionSettings): number {
  return Math.ceil(thresholdsOf(window, settings).orange * window) - 1;
}

/** Where the zones of such a session begin, in tokens: orange about at `most`. */
export function zoneBounds(most: number, settings: SessionSettings): ZoneThresholds {
  const window = sessionWindow(most, settings);
  const { yellow, orange, red } = thresholdsOf(window, settings);
  return { yellow: yellow * window, orange: orange * window, red: red * window };
}

function thresholdsOf(window: number, { pressure, budget }: SessionSettings): ZoneThresholds {
  return effectiveThresholds(pressure.thresholds, window, outputReserve(window, budget.allocations.output_reserved));
}
