import type { Zone } from "../model/zone.ts";

/** Zones differ in shape first and in colour second. */
export const SHAPES: Readonly<Record<Zone, string>> = { green: "○", yellow: "◐", orange: "▲", red: "◆" };
/** ANSI colours, as the codes of "select graphic rendition". */
export const COLOURS: Readonly<Record<Zone, string>> = {
  green: "32",
  yellow: "33",
  orange: "38;5;208",
  red: "1;31",
};

/** Text in an ANSI colour. */
export function painted(code: string, text: string): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}

/** A number of tokens as people say it: 812, 8.2k, 1.20M. */
export function tokens(n: number): string {
  const size = Math.abs(n);
  if (size >= 1e6) return `${(n / 1e6).toFixed(2)}M`;
  return size >= 1e3 ? `${(n / 1e3).toFixed(1)}k` : String(Math.round(n));
}

export function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)}%`;
}

export function count(n: number, one: string): string {
  return `${n} ${n === 1 ? one : `${one}s`}`;
}
