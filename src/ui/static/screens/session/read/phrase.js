/**
 * The life of a phrase, of content.search's matches: stretches of turns in which it was in the context, was not, and was
 * again. A stretch is { from, to, state, label }, `to` exclusive; state `held`, `shortened` (what holds it was changed,
 * and may not show the phrase any more) or `evicted`.
 */
export function lifeOf(matches, turn) {
  const held = matches
    .flatMap((match) =>
      match.intervals.map(({ from_turn: from, to_turn: to }) => ({
        from: Math.max(1, from),
        to: to === null ? turn + 1 : Math.max(to, from),
        state: "held",
        label: match.tool_name ?? typeWord(match.type),
        block: match.block_id,
      })),
    )
    .concat(matches.filter(({ state }) => state === "changed").flatMap((match) => shortened(match, turn)))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from || b.to - a.to);
  return gaps(merged(held), turn);
}

/** What the phrase stood in is still there, but not as it came. */
function shortened(match, turn) {
  const end = match.intervals.reduce((last, { to_turn: to }) => (to === null ? last : Math.max(last, to)), 0);
  return end === 0 ? [] : [{ from: end, to: turn + 1, state: "shortened", label: "shortened", block: match.block_id }];
}

function merged(stretches) {
  const life = [];
  for (const stretch of stretches) {
    const last = life.at(-1);
    if (last === undefined || stretch.from >= last.to) life.push({ ...stretch });
    else if (stretch.state === last.state) last.to = Math.max(last.to, stretch.to);
    else if (stretch.state === "held") {
      // Whole content counts more than what is left of other content.
      const rest = { ...last, from: stretch.to };
      last.to = stretch.from;
      life.push({ ...stretch });
      if (rest.to > rest.from) life.push(rest);
    } else if (stretch.to > last.to) life.push({ ...stretch, from: last.to });
  }
  return life.filter(({ from, to }) => to > from);
}

function gaps(life, turn) {
  const whole = [];
  for (const [i, stretch] of life.entries()) {
    whole.push(stretch);
    const next = life[i + 1]?.from ?? turn + 1;
    if (next > stretch.to) whole.push({ from: stretch.to, to: next, state: "evicted", label: "evicted", block: null });
  }
  return whole;
}

/** The same in a sentence: [text, isStrong] pairs. */
export function lifeWords(life) {
  if (life.length === 0) return [["Not found in this session, neither in the context nor in what was evicted.", false]];
  const words = [[`First seen at turn ${life[0].from}. `, false]];
  const out = life.filter(({ state }) => state === "evicted");
  const last = life.at(-1);
  if (out.length === 0) {
    words.push([last.state === "held" ? "In the context ever since." : "Shortened since, its original is kept.", true]);
    return words;
  }
  const missing = out.reduce((sum, { from, to }) => sum + to - from, 0);
  const gap = out.at(-1);
  const spans = out.length === 1 ? `, ${turnsWord(gap)}` : ` in ${out.length} stretches, the last ${turnsWord(gap)}`;
  words.push([`Out of the context for ${missing === 1 ? "1 turn" : `${missing} turns`}${spans}. `, true]);
  if (last.state !== "evicted") words.push([`Back since turn ${gap.to}, in ${last.label}.`, false]);
  else words.push(["It is not in the context now.", true]);
  return words;
}

function turnsWord({ from, to }) {
  return to - from === 1 ? `turn ${from}` : `turns ${from} to ${to - 1}`;
}

function typeWord(type) {
  return type.replaceAll("_", " ");
}
