import { P90_MEANS } from "../../../app/p90-words.js";
import { el, setText } from "../../../draw/dom.js";
import { compact, percent, signed, turns, whole } from "../../../draw/format.js";

/** Six figures: each a name, a value with its unit, and a line that says what it is of. */
export class Figures {
  #cells = NAMES.map((name) => {
    const value = el("b.num");
    const unit = el("span.unit");
    const note = el("span.note.dim.num");
    const cell = el("div", {}, el("dt", {}, name), el("dd", {}, el("span", {}, value, unit), note));
    return { cell, value, unit, note };
  });
  node = el("dl.figures", { "aria-label": "The session in figures" }, ...this.#cells.map(({ cell }) => cell));

  show(summary, usage) {
    for (const [i, [value, unit, note]] of figuresOf(summary, usage).entries()) {
      const cell = this.#cells[i];
      setText(cell.value, value);
      setText(cell.unit, unit === "" ? "" : `\u202f${unit}`);
      setText(cell.note, note);
      const about = note.startsWith("p90") ? P90_MEANS : "";
      if (cell.cell.title !== about) cell.cell.title = about;
    }
  }
}

const NAMES = ["Red in", "Growth", "Floor", "Cache hit", "Needed again", "Count error"];

/** [value, unit, note] of each figure, in the order of their names. */
export function figuresOf(summary, usage) {
  return [
    redIn(summary),
    growth(summary),
    floor(summary),
    cacheHit(usage),
    neededAgain(summary),
    countError(summary, usage),
  ];
}

function redIn({ closed, zone, turns_until_red: until, turns_until_red_p90: soonest }) {
  if (closed) return ["–", "", "the session is closed"];
  if (zone === "red") return ["now", "", "the zone is red"];
  if (until === null) return ["–", "", "it does not grow"];
  return [turns(until), "turns", soonest === null ? "" : `p90 ${turns(soonest)}`];
}

function growth({ velocity_tokens_per_turn: velocity, recent_tokens: recent }) {
  if (velocity === null) return ["–", "", "after two turns"];
  return [signed(velocity), "tok/turn", (recent?.length ?? 0) < 2 ? "so far" : "mean of the last turns"];
}

/** What no turn frees of the context, a share of the window as the zones are; the room for the answer is told beside it. */
function floor({ floor_tokens: held, reserve_tokens: reserve = 0, max_tokens: max }) {
  if (held === undefined) return ["–", "", ""];
  const stays = held - reserve;
  const kept = reserve > 0 ? `, ${compact(reserve)} kept for output` : "";
  return [percent(stays / max, 0), "", `${compact(stays)} tok must stay${kept}`];
}

function cacheHit(usage) {
  const read = usage?.cache_read_input_tokens ?? null;
  const prompt = usage?.prompt_tokens ?? null;
  if (read === null || prompt === null || prompt === 0) return ["–", "", "not reported"];
  return [percent(read / prompt, 0), "", "of the last prompt"];
}

function neededAgain({ regret }) {
  if (regret === undefined || regret.evicted_blocks === 0) return ["–", "", "nothing was evicted"];
  const { regretted_blocks: again, evicted_blocks: evicted, rate } = regret;
  return [whole(again), `of ${whole(evicted)}`, `${percent(rate, 0)} expected`];
}

function countError({ calibration = 1 }, usage) {
  const reported = usage?.prompt_tokens ?? null;
  const estimated = usage?.estimated_tokens ?? null;
  if (reported === null || estimated === null || reported === 0) return ["–", "", "not reported"];
  const error = (estimated * calibration) / reported - 1;
  const sign = error < -0.0005 ? "−" : error > 0.0005 ? "+" : "";
  return [`${sign}${percent(Math.abs(error))}`, "", "against the provider"];
}
