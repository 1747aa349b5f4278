import { el, icon, setText, slot } from "../../draw/dom.js";
import { count, percent, turns, whole, zoneWord } from "../../draw/format.js";
import { causeWords } from "./cause-words.js";
import { strategyWords } from "./kind-words.js";

/** What the pass did, in a few words: "evicted 15 blocks", or what it wrote where it took nothing. */
function deed({ taken, cause, carried }) {
  const blocks = new Set(taken.map(({ block_id }) => block_id)).size;
  if (blocks === 0) return carried.ledger === null ? "changed nothing" : "wrote the ledger anew";
  if (cause === "window") return `closed a window and folded ${count(blocks, "block")}`;
  const methods = new Set(taken.map(({ method }) => method));
  const shortens = [...methods].every((method) => method === "truncate" || method === "summarize");
  if (shortens) return `shortened ${count(blocks, "block")}`;
  if (methods.size === 1 && methods.has("merge")) return `merged ${count(blocks, "block")}`;
  return `evicted ${count(blocks, "block")}`;
}

/** Crumbs, the way to the decisions before and after, the sentence of the pass, and why it was made. */
export function drawHeadline(root, app, session, pass) {
  const part = (name) => slot(root, name);
  setText(part("up"), session);
  part("up").setAttribute("href", app.href(["session", session]));
  const freed = pass.tokens_before - pass.tokens_after;
  setText(part("crumb"), `${pass.cause === "window" ? "Fold" : "Eviction"} at turn ${pass.turn}`);
  const change = freed >= 0 ? `freed ${whole(freed)} tok` : `added ${whole(-freed)} tok`;
  setText(part("title"), `Turn ${pass.turn}: ${deed(pass)}, ${change}`);
  part("why").replaceChildren(...whyWords(pass));
  pager(part("earlier"), app, session, pass.previous_pass_id);
  pager(part("later"), app, session, pass.next_pass_id);
}

function pager(link, app, session, passId) {
  if (passId === null) {
    link.removeAttribute("href");
    link.setAttribute("aria-disabled", "true");
    link.setAttribute("role", "link");
  } else {
    link.setAttribute("href", app.href(["session", session, "decision", passId]));
    link.removeAttribute("aria-disabled");
    link.removeAttribute("role");
  }
}

function whyWords(pass) {
  const share = percent(pass.tokens_before / pass.max_tokens);
  const until = pass.turns_until_red_before;
  const red =
    pass.zone_before === "red" || until === null || until <= 0 ? "" : ` and red was ${turns(until)} turns away`;
  const [first, ...rest] = strategyWords(pass.strategy);
  const steps = [first, ...rest].join(", then ");
  const policy = pass.policy === null ? "" : ` Policy ${pass.policy}.`;
  const waited = pass.waited_ms > 0 ? ` It waited ${whole(pass.waited_ms)} ms for a summary.` : "";
  return [
    "The context was ",
    ...(pass.zone_before === null ? [] : [zoneTag(pass.zone_before), " "]),
    `at ${share}${red}. ${causeWords(pass.cause)} By ${steps}.${policy}${waited}`,
  ];
}

/** A zone's shape and word. */
export function zoneTag(zone) {
  const shape = icon(`zone-${zone}`, "shape");
  return el(`span.zone.in-${zone}`, {}, shape, zoneWord(zone));
}
