import type { Json } from "../../model/json.ts";
import { oneLine } from "../../model/task-line.ts";

/** Most characters of a value that is shown: who compares a longer one reads it where it stands whole. */
const MOST_CHARACTERS = 120;
/** Digits of a long hash that are shown: nobody meets two files that share them. */
const HASH_DIGITS = 12;
/** Most members of a list that are named. */
const MOST_MEMBERS = 8;

/** A text on one line, its secrets masked; a long one is cut and says so. */
export function toldText(text: string, mask: (text: string) => string): string {
  // Masked first: what is left of a secret that was cut has its shape no more.
  const line = oneLine(mask(text));
  if (line === "") return "(empty)";
  if (line.length <= MOST_CHARACTERS) return line;
  const head = line.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, "");
  return `${head}… (cut: ${line.length} characters in all)`;
}

/** A value of the environment as it is told behind its key, which may be what says that it is a secret. */
export function toldValue(key: string, value: Json, mask: (text: string) => string): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const before = `${key}: `;
  const whole = mask(before + text);
  return toldText(whole.startsWith(before) ? whole.slice(before.length) : mask(text), mask);
}

/** A hash, of which some digits will do. */
export function toldHash(hash: string): string {
  if (hash.length <= HASH_DIGITS) return hash;
  return `${hash.slice(0, HASH_DIGITS)}… (${HASH_DIGITS} of ${hash.length} digits)`;
}

/** The first members of a list as `tell` tells them; the others by count. */
export function toldList<T>(members: readonly T[], tell: (member: T) => string): string {
  const named = members.slice(0, MOST_MEMBERS).map(tell).join(", ");
  const more = members.length - MOST_MEMBERS;
  return more <= 0 ? named : `${named} and ${more} more`;
}
