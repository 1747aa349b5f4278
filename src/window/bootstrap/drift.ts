import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

export interface Drift {
  readonly checks: number;
  readonly passed: number;
  /** Keys of what is not as it was noted, in the order in which it was noted; of members the path: `files/src/a.ts`. */
  readonly drifted: readonly string[];
}

/** Fewest digits that tell a commit. */
const SHORTEST_HASH = 7;
const LONGEST_NUMBER = 39;
const HASH = new RegExp(`^(?:([a-z]+[0-9]*)[:-])?([0-9a-f]{${SHORTEST_HASH},128})$`, "i");
/** As programs print a version: `v20.11.1`, `Python 3.11.4`. */
const VERSION = /^(?:[a-z]+ )?v?(\d+(?:\.\d+)+\S*)$/i;

/**
 * What an agent found of its environment against what was noted of it. Only what it reported is checked, objects member
 * by member; what it reports as null is gone. Values that differ in how they are written alone are equal: hashes cut to
 * seven digits or more or in another case, the slash behind a folder, a number as a text, a version behind its
 * program's name, a list in another order.
 */
export function compareEnvironment(expected: JsonObject, reported: JsonObject): Drift {
  const found = compared(expected, reported, "");
  const drifted = found.filter(({ isSame }) => !isSame).map(({ key }) => key);
  return { checks: found.length, passed: found.length - drifted.length, drifted };
}

interface Compared {
  readonly key: string;
  readonly isSame: boolean;
}

function compared(expected: JsonObject, reported: JsonObject, path: string): Compared[] {
  return Object.entries(expected).flatMap(([name, before]) => {
    if (!Object.hasOwn(reported, name)) return [];
    const now = reported[name] as Json;
    const key = path + name;
    if (isJsonObject(before) && isJsonObject(now)) return compared(before, now, `${key}/`);
    return [{ key, isSame: isSame(before, now) }];
  });
}

function isSame(before: Json, now: Json): boolean {
  if (Array.isArray(before) && Array.isArray(now)) return isSameList(before, now);
  if (before === null || now === null || typeof before === "object" || typeof now === "object") {
    return canonicalJson(before) === canonicalJson(now);
  }
  if (typeof before === "string" && typeof now === "string") return isSameText(before.trim(), now.trim());
  return String(before) === String(now).trim() || isSameNumber(before, now);
}

function isSameList(before: readonly Json[], now: readonly Json[]): boolean {
  return isSameRow(before, now) || isSameRow(inAnyOrder(before), inAnyOrder(now));
}

function isSameRow(before: readonly Json[], now: readonly Json[]): boolean {
  return before.length === now.length && before.every((each, at) => isSame(each, now[at] as Json));
}

function inAnyOrder(list: readonly Json[]): Json[] {
  const keyed = list.map((each) => [typeof each === "string" ? each.trim() : canonicalJson(each), each] as const);
  return keyed.sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, each]) => each);
}

function isSameNumber(before: string | number | boolean, now: string | number | boolean): boolean {
  const texts = [before, now].map((each) => String(each).trim());
  return texts.every((text) => /^-?\d+(?:\.\d+)?$/.test(text)) && Number(texts[0]) === Number(texts[1]);
}

function isSameText(before: string, now: string): boolean {
  if (before === now) return true;
  if (withoutSlash(before) === withoutSlash(now)) return true;
  const version = VERSION.exec(before)?.[1];
  if (version !== undefined && version === VERSION.exec(now)?.[1]) return true;
  return isSameHash(before, now);
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=[^/])\/+$/, "");
}

function isSameHash(before: string, now: string): boolean {
  const [, kind, digits = ""] = HASH.exec(before.toLowerCase()) ?? [];
  const [, otherKind, others = ""] = HASH.exec(now.toLowerCase()) ?? [];
  if (digits === "" || others === "" || (kind && otherKind && kind !== otherKind)) return false;
  // Digits alone are a number, such as a build's or a date, unless they are as many as a whole hash has.
  const isNumber = /^\d+$/.test(digits + others) && Math.max(digits.length, others.length) <= LONGEST_NUMBER;
  return !isNumber && (digits.startsWith(others) || others.startsWith(digits));
}
