import { el } from "../../../draw/dom.js";
import { clockTimeInZone, dateTime, percent, whole } from "../../../draw/format.js";
import { gateWords, plain } from "../read/words.js";

/** Longer values are cut: what an event holds is figures and names. */
const MOST_CHARACTERS = 400;
const MOST_ENTRIES = 12;

/** What the events of a decision say, as names and words. */
export function detail({ entries, position, at }) {
  const shown = entries.slice(-MOST_ENTRIES);
  const rest = entries.length - shown.length;
  const parts = shown.flatMap((entry) => [
    el(
      "h4",
      {},
      plain(entry.type.replace(".", " ")),
      el("span.dim.num", {}, ` position ${whole(entry.position)}, ${clockTimeInZone(entry.at)}`),
    ),
    facts(entry.data),
  ]);
  const before = rest > 0 ? el("p.dim", {}, `and ${whole(rest)} of the same before`) : null;
  const when = new Date(at);
  return el(
    "div",
    {},
    ...[
      el(
        "p.dim.num",
        {},
        el("time", { datetime: when.toISOString() }, dateTime(at)),
        `, journal position ${whole(position)}`,
      ),
      ...parts,
      before,
    ].filter((part) => part !== null),
  );
}

function facts(data) {
  const rows = Object.entries(data).flatMap(([name, value]) => {
    const words = wordsOf(name, value);
    return words === null ? [] : [el("div", {}, el("dt", {}, plain(name)), el("dd.num", {}, words))];
  });
  return el("dl.facts-list", {}, ...rows);
}

/** A value in words; null: there is nothing to say of it. */
function wordsOf(name, value) {
  if (value === null || value === "") return null;
  if (name === "gate" || name === "shallower") return gateWords(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return figure(name, value);
  if (typeof value === "string") return value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value;
  if (Array.isArray(value)) return value.length === 0 ? null : listWords(value);
  const pairs = Object.entries(value).flatMap(([key, inner]) => {
    const words = wordsOf(key, inner);
    return words === null ? [] : [`${plain(key)} ${words}`];
  });
  return pairs.length === 0 ? null : pairs.join(", ").slice(0, MOST_CHARACTERS);
}

function listWords(values) {
  const plainOnes = values.filter((value) => typeof value === "string" || typeof value === "number");
  return plainOnes.length < values.length ? `${whole(values.length)}` : plainOnes.join(", ").slice(0, MOST_CHARACTERS);
}

function figure(name, value) {
  if (/utilization|score|fidelity|rate$/.test(name) && Math.abs(value) <= 2) return percent(value);
  if (/tokens|_limit$|velocity/.test(name)) return `${whole(value)} tok`;
  if (name.endsWith("_at")) return dateTime(value);
  return Number.isInteger(value) ? whole(value) : String(Number(value.toFixed(3)));
}
