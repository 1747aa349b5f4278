import { P90_MEANS } from "../../app/p90-words.js";
import { drawSparkline, el, icon, setText, sparkline } from "../../draw/dom.js";
import { compact, count, percent, signed, span, turns, whole, windowSize, zoneWord } from "../../draw/format.js";
import { visible } from "../../draw/names.js";
import { untilRed, ZONES } from "./buckets.js";

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
/** Infinite numbers of turns are equal. */
const bySize = (a, b) => (a === b ? 0 : a - b);

/**
 * The columns of the table. `make` builds a cell once; the function it returns brings it up to date, so that a row is
 * reused for as long as its session is in view. `order` compares two sessions, ascending. `href` gives the address of
 * a session.
 */
export const COLUMNS = [
  {
    key: "zone-cell",
    name: "Zone",
    order: (a, b) => ZONES.indexOf(b.zone) - ZONES.indexOf(a.zone),
    make(cell) {
      const shape = icon("zone-green", "shape");
      const word = el("span");
      const tag = el("span.zone", {}, shape, word);
      cell.append(tag);
      return (session) => {
        if (word.textContent === zoneWord(session.zone)) return;
        tag.className = `zone in-${session.zone}`;
        shape.firstChild.setAttribute("href", `#zone-${session.zone}`);
        setText(word, zoneWord(session.zone));
      };
    },
  },
  {
    key: "session",
    name: "Session",
    order: (a, b) => byText(a.session_id, b.session_id),
    make(cell, href) {
      // The link is laid over the whole row, so that any click on it is one on a link. The keyboard has the grid.
      const link = el("a.id.mono", { tabindex: "-1" });
      const agent = el("span.agent");
      cell.append(link, agent);
      let shown = null;
      return (session) => {
        const { session_id: id, model, profile } = session;
        setText(agent, session.agent);
        const about = `${visible(id)}\n${session.agent}, ${model}, ${profile}\n${fullness(session)}\n${lastEdit(session)}`;
        if (link.title !== about) link.title = about;
        if (shown === id) return;
        shown = id;
        setText(link, visible(id));
        link.setAttribute("href", href(id));
      };
    },
  },
  {
    key: "context",
    name: "Context",
    order: (a, b) => b.utilization - a.utilization,
    make(cell) {
      const marks = ["yellow", "orange", "red"].map((zone) => [zone, el("i")]);
      const bar = el("span.full", { role: "img" }, ...marks.map(([, mark]) => mark));
      const share = el("span.percent.num");
      const of = el("span.of.num");
      cell.append(bar, share, of);
      let drawn = "";
      return (session) => {
        const full = percent(session.utilization);
        const { yellow, orange, red } = session.thresholds;
        const signature = `${full} ${session.zone} ${session.max_tokens} ${yellow} ${orange} ${red}`;
        if (drawn === signature) return;
        drawn = signature;
        bar.className = `full in-${session.zone}`;
        bar.style.setProperty("--share", String(Math.min(1, Math.max(0, session.utilization))));
        for (const [zone, mark] of marks) mark.style.setProperty("--at", String(session.thresholds[zone]));
        bar.setAttribute("aria-label", `${full} full`);
        setText(share, full);
        setText(of, `of ${windowSize(session.max_tokens)}`);
      };
    },
  },
  {
    key: "red-in",
    name: "Red in",
    unit: "turns",
    about: P90_MEANS,
    right: true,
    order: (a, b) => bySize(untilRed(a), untilRed(b)) || b.utilization - a.utilization,
    make(cell) {
      const until = el("b.until.num");
      const p90 = el("span.p90.num");
      cell.append(until, p90);
      return (session) => {
        const red = session.zone === "red";
        const soon = red || (session.turns_until_red !== null && session.turns_until_red <= 2);
        const hue = session.zone === "green" ? "yellow" : session.zone;
        const name = `until num in-${hue}${soon ? " hot" : ""}`;
        if (until.className !== name) until.className = name;
        setText(until, red ? "now" : turns(session.turns_until_red));
        setText(p90, red || session.turns_until_red_p90 === null ? "" : `p90 ${turns(session.turns_until_red_p90)}`);
      };
    },
  },
  {
    key: "growth",
    name: "Growth",
    unit: "tok/turn",
    right: true,
    order: (a, b) => (b.velocity_tokens_per_turn ?? 0) - (a.velocity_tokens_per_turn ?? 0),
    make(cell) {
      const rate = el("span.rate.num");
      let drawn = null;
      let zone = null;
      const line = sparkline([0, 0]);
      cell.append(line, rate);
      return (session) => {
        const { recent_tokens: recent, velocity_tokens_per_turn: velocity } = session;
        if (drawn !== recent || zone !== session.zone) {
          const isLine = recent.length > 1;
          if (isLine) drawSparkline(line, recent, { zone: session.zone });
          line.classList.toggle("gone", !isLine);
          drawn = recent;
          zone = session.zone;
        }
        setText(rate, velocity === null ? "–" : signed(velocity));
      };
    },
  },
  {
    key: "last",
    name: "Last edit",
    order: (a, b) => sinceEdit(a) - sinceEdit(b),
    make(cell) {
      const mark = icon("edit");
      const freed = el("span.num");
      const when = el("span.dim.num");
      cell.append(mark, freed, when);
      return (session) => {
        const edit = session.last_edit;
        mark.classList.toggle("gone", edit === null);
        setText(freed, edit === null ? "" : signed(-edit.tokens_freed));
        const ago = sinceEdit(session);
        setText(when, edit === null ? "" : ago <= 0 ? "this turn" : `${count(ago, "turn")} ago`);
      };
    },
  },
  {
    key: "turn",
    name: "Turn",
    right: true,
    order: (a, b) => b.turn - a.turn,
    make(cell) {
      const turn = el("span.num");
      const window = el("span.window.num");
      cell.append(turn, window);
      return (session) => {
        setText(turn, whole(session.turn));
        setText(window, `w${session.window_number}`);
      };
    },
  },
  {
    key: "seen",
    name: "Seen",
    right: true,
    order: (a, b) => b.last_seen - a.last_seen,
    make(cell) {
      const seen = el("span.num");
      cell.append(seen);
      return (session, now) => setText(seen, span(now - session.last_seen));
    },
  },
];

/** Turns since the last edit; a session without one comes last. */
function sinceEdit(session) {
  return session.last_edit === null ? Number.MAX_VALUE : session.turn - session.last_edit.turn;
}

function fullness({ tokens, max_tokens: max }) {
  return `${whole(tokens)} of ${whole(max)} tok`;
}

function lastEdit({ last_edit: edit }) {
  if (edit === null) return "Never edited";
  return `Edited by ${edit.strategy} at turn ${edit.turn}, ${compact(edit.tokens_freed)} tok freed`;
}

/** What is spoken of a session. */
export function spokenWords({ session_id: id, agent, zone, utilization, turns_until_red: until }) {
  const when = zone === "red" ? "red now" : until === null ? "not growing" : `red in ${turns(until)} turns`;
  return `${id}, ${agent}, ${zone}, ${percent(utilization)} full, ${when}`;
}

/** How many sessions are shown, of how many. */
export function countedWords(length, total) {
  return length === total ? whole(length) : `${whole(length)} of ${whole(total)}`;
}
