/**
 * How soon a session will be red, as the strip sorts it: `most` is the largest number of turns of a bucket, `strength`
 * how much of its colour it has, so that what is near weighs more than what is far.
 */
export const BUCKETS = [
  { name: "red now", words: "red now", most: 0, strength: 1, least: 48 },
  { name: "≤ 2", words: "red within 2 turns", most: 2, strength: 1, least: 34 },
  { name: "3–5", words: "in 3 to 5", most: 5, strength: 1, least: 34 },
  { name: "6–10", words: "in 6 to 10", most: 10, strength: 1, least: 40 },
  { name: "11–20", words: "in 11 to 20", most: 20, strength: 0.9, least: 44 },
  { name: "21–40", words: "in 21 to 40", most: 40, strength: 0.85, least: 44 },
  { name: "41–80", words: "in 41 to 80", most: 80, strength: 0.75, least: 44 },
  { name: "> 80", words: "later", most: Number.MAX_VALUE, strength: 0.7, least: 40 },
  { name: "not growing", words: "not growing", most: Number.POSITIVE_INFINITY, strength: 0.7, least: 72 },
];

/** From the least urgent zone to the most. */
export const ZONES = ["green", "yellow", "orange", "red"];

/** Turns until a session is red: 0 when it is, infinite while it does not grow. */
export function untilRed({ zone, turns_until_red: turns }) {
  if (zone === "red") return 0;
  return turns ?? Number.POSITIVE_INFINITY;
}

/** The bucket of a number of turns, by its place in the list. */
export function bucketOf(session) {
  const until = untilRed(session);
  if (session.zone === "red") return 0;
  for (let b = 1; b < BUCKETS.length; b++) if (until <= BUCKETS[b].most) return b;
  return BUCKETS.length - 1;
}
