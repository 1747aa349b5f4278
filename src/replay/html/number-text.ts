import type { Estimate } from "../bootstrap.ts";

const NOTHING = "–";

/** A share or a ratio: 0.947. */
export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? NOTHING : value.toFixed(3);
}

/** The interval of an estimate: [0.938, 0.965]. */
export function interval(estimate: Estimate | null): string {
  return estimate === null ? "" : `[${estimate.low.toFixed(3)}, ${estimate.high.toFixed(3)}]`;
}

export function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
}

/** Tokens as people say them: 812, 8.2k, 1.20M. */
export function tokenText(tokens: number): string {
  if (tokens >= 1e6) return `${(tokens / 1e6).toFixed(2)}M`;
  return tokens >= 1e3 ? `${(tokens / 1e3).toFixed(1)}k` : String(Math.round(tokens));
}
