import { isJsonObject, type Json } from "../../model/json.ts";
import type { Check, CheckOptions } from "./check.ts";
import { toldList, toldValue } from "./told-value.ts";

/** Most services that are checked one by one. */
const MOST_SERVICES = 8;

/** Services are told by name, port or address: a list of them is one check, {name: where} one for each. */
export function serviceChecks(key: string, value: Json, { mask }: CheckOptions): Check[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    const told = toldList(value, (each) => toldValue(key, each, mask));
    const ask = value.every(isPort)
      ? "Check that something listens on each port (`ss -ltn`)."
      : "Check that each runs.";
    return [{ key, expected: told, ask, isKnown: true }];
  }
  if (!isJsonObject(value)) return [serviceCheck(key, value, mask)];
  const all = Object.entries(value).filter(([, where]) => where !== null);
  const checks = all.slice(0, MOST_SERVICES).map(([name, where]) => serviceCheck(`${key}/${name}`, where, mask));
  const more = all.length - checks.length;
  if (more === 0) return checks;
  return [
    ...checks,
    { key, expected: "as task.get has them", ask: `Check ${more} more of the services.`, isKnown: true },
  ];
}

function serviceCheck(key: string, where: Json, mask: (text: string) => string): Check {
  const ask = isPort(where)
    ? "Check that something listens on this port (`ss -ltn`)."
    : typeof where === "string" && where.includes("://")
      ? "Check that it answers."
      : "Check that it runs.";
  return { key, expected: toldValue(key, where, mask), ask, isKnown: true };
}

function isPort(value: Json): boolean {
  const port = typeof value === "number" || (typeof value === "string" && /^\d{1,5}$/.test(value)) ? Number(value) : 0;
  return Number.isInteger(port) && port > 0 && port < 65_536;
}
