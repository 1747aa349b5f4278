import { el, icon, setText, sparkline } from "../../draw/dom.js";
import { compact, count, percent, signed, span, turns, whole, windowSize, zoneWord } from "../../draw/format.js";

const ZONES = ["green", "yellow", "orange", "red"];
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const untilRed = (session) => (session.zone === "red" ? 0 : (session.turns_until_red ?? Number.MAX_VALUE));

/**
 * The columns of the table. `make` builds a cell once; the function it returns brings it up to date, so that a row is
 * reused for as long as its session is in view. `order` compares two sessions, ascending.
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
    make(cell) {
      const id = el("span.id.mono");
      const agent = el("span.agent");
      cell.append(id, agent);
      return (session) => {
        setText(id, session.session_id);
        setText(agent, session.agent);
        cell.title = `${session.session_id}\n${session.agent}, ${session.model}, ${session.profile}`;
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
      return (session) => {
        bar.className = `full in-${session.zone}`;
        bar.style.setProperty("--share", String(Math.min(1, Math.max(0, session.utilization))));
        for (const [zone, mark] of marks) mark.style.setProperty("--at", String(session.thresholds[zone]));
        bar.setAttribute("aria-label", `${percent(session.utilization)} full`);
        setText(share, percent(session.utilization));
        setText(of, `of ${windowSize(session.max_tokens)}`);
        of.title = `${whole(session.tokens)} of ${whole(session.max_tokens)} tok`;
      };
    },
  },
  {
    key: "red-in",
    name: "Red in",
    unit: "turns",
    right: true,
    order: (a, b) => untilRed(a) - untilRed(b) || b.utilization - a.utilization,
    make(cell) {
      const until = el("b.until.num");
      const p90 = el("span.p90.num");
      cell.append(until, p90);
      return (session) => {
        const red = session.zone === "red";
        const soon = red || (session.turns_until_red !== null && session.turns_until_red <= 2);
        until.className = `until num in-${red ? "red" : session.zone === "green" ? "yellow" : session.zone}${soon ? " hot" : ""}`;
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
      let line = el("span");
      cell.append(line, rate);
      return (session) => {
        const { recent_tokens: recent, velocity_tokens_per_turn: velocity } = session;
        if (drawn !== recent && recent.length > 1) {
          const next = sparkline(recent, { zone: session.zone });
          line.replaceWith(next);
          line = next;
          drawn = recent;
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
        mark.style.visibility = edit === null ? "hidden" : "visible";
        setText(freed, edit === null ? "" : signed(-edit.tokens_freed));
        const ago = sinceEdit(session);
        setText(when, edit === null ? "" : ago <= 0 ? "this turn" : `${count(ago, "turn")} ago`);
        cell.title =
          edit === null ? "" : `${edit.strategy} at turn ${edit.turn}, ${compact(edit.tokens_freed)} tok freed`;
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
