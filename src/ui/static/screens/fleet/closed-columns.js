import { el, setText } from "../../draw/dom.js";
import { compact, count, percent, signed, span, whole } from "../../draw/format.js";
import { visible } from "../../draw/names.js";
import { COLUMNS } from "./session-columns.js";

const shared = (key) => COLUMNS.find((column) => column.key === key);

/** A column of the open ones under a name of its own: what it shows was so at the end. */
function atTheEnd(key, name) {
  const { order: _, unit: __, ...column } = shared(key);
  return { ...column, name };
}

/**
 * The columns of the closed sessions, as COLUMNS: how each ended. They have no order of their own, since the page has
 * only a part of them; the one that closed last comes first.
 */
export const CLOSED_COLUMNS = [
  atTheEnd("zone-cell", "Ended in"),
  {
    key: "session",
    name: "Session",
    make(cell, href) {
      const link = el("a.id.mono", { tabindex: "-1" });
      const agent = el("span.agent");
      cell.append(link, agent);
      return (session) => {
        const { session_id: id, model, profile } = session;
        setText(agent, session.agent);
        const about = `${id}\n${session.agent}, ${model}, ${profile}\n${whole(session.tokens)} of ${whole(session.max_tokens)} tok at its end`;
        if (link.title !== about) link.title = about;
        if (link.textContent === id) return;
        setText(link, visible(id));
        link.setAttribute("href", href(id));
      };
    },
  },
  atTheEnd("context", "Context at the end"),
  {
    key: "freed",
    name: "Freed",
    unit: "tok",
    right: true,
    make(cell) {
      const freed = el("span.num");
      cell.append(freed);
      return ({ tokens_freed: tokens }) => setText(freed, tokens > 0 ? signed(-tokens) : "–");
    },
  },
  {
    key: "again",
    name: "Needed again",
    right: true,
    make(cell) {
      const blocks = el("b.num");
      const of = el("span.dim.num");
      cell.append(blocks, of);
      return ({ evicted_blocks: evicted, regretted_blocks: again }) => {
        // Sessions from before it was told have none of the figures.
        const isTold = Number.isInteger(evicted) && evicted > 0;
        setText(blocks, isTold ? whole(again) : "–");
        setText(of, isTold ? `of ${compact(evicted)}` : "");
        blocks.classList.toggle("hot", isTold && again > 0);
      };
    },
  },
  atTheEnd("turn", "Turns"),
  {
    key: "ended",
    name: "Closed",
    right: true,
    make(cell) {
      const ended = el("time.num");
      cell.append(ended);
      return ({ closed_at: at }, now) => {
        const iso = new Date(at).toISOString();
        if (ended.getAttribute("datetime") !== iso) {
          ended.setAttribute("datetime", iso);
          ended.title = new Date(at).toLocaleString();
        }
        setText(ended, `${span(now - at)} ago`);
      };
    },
  },
];

/** What is spoken of a closed session. */
export function closedWords({ session_id: id, agent, zone, utilization, turn, closed_at: at }) {
  return `${id}, ${agent}, closed ${span(Date.now() - at)} ago after ${count(turn, "turn")}, ${zone}, ${percent(utilization)} full`;
}

/** The one that closed last first. */
export function lastClosedFirst(a, b) {
  return b.closed_at - a.closed_at;
}
