import { deedsOf, deedWords, passKind } from "../../app/pass-words.js";
import { el, icon, setText, slot } from "../../draw/dom.js";
import { percent, turns, whole, zoneWord } from "../../draw/format.js";
import { visible } from "../../draw/names.js";
import { causeWords } from "./cause-words.js";
import { strategyWords } from "./kind-words.js";

/** What the pass did, in a few words: "edited 15 blocks: all evicted", and what it wrote where it edited nothing. */
function deed({ cause, carried }, deeds) {
  if (deeds.blocks === 0 && carried.ledger !== null) return "edited no block, wrote the ledger anew";
  return cause === "window" ? `closed a window, ${deedWords(deeds)}` : deedWords(deeds);
}

/** Crumbs, the way to the decisions before and after, the sentence of the pass, and why it was made. */
export function drawHeadline(root, app, session, pass) {
  const part = (name) => slot(root, name);
  setText(part("up"), visible(session));
  part("up").setAttribute("href", app.href(["session", session]));
  const deeds = deedsOf(pass.taken);
  const freed = pass.tokens_before - pass.tokens_after;
  setText(part("crumb"), `${passKind(pass, deeds)} at turn ${pass.turn}`);
  const change = freed >= 0 ? `freed ${whole(freed)} tok` : `added ${whole(-freed)} tok`;
  setText(part("title"), `Turn ${pass.turn}: ${deed(pass, deeds)}, ${change}`);
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
