import { el, icon } from "../../../draw/dom.js";
import { compact, whole } from "../../../draw/format.js";
import { detail } from "./detail.js";

/**
 * One decision as a row: turn, kind, what and why, before and after, and what came of it. One that is explained on a
 * page of its own is a link to it; the others open in place.
 */
export function decisionRow(decision, { link, open, isOpen, max }) {
  const href = link(decision);
  const { turn, to, shape, kind, what, why, before, after, figure, outcome } = decision;
  const size = before === null || after === null ? el("span.num.dim", {}, figure) : beforeAfter(before, after, max);
  const cells = [
    el("span.decision-turn.num", {}, turn === to ? whole(turn) : `${whole(turn)}–${whole(to)}`),
    icon(shape, `icon16${shape.startsWith("zone-") ? ` in-${shape.slice(5)} zoned` : ""}`),
    el("span.decision-kind.dim", {}, kind),
    el("span.decision-what", {}, el("b", {}, what), why === "" ? null : el("span.dim", {}, why)),
    el("span.decision-size", {}, size),
    el("span.decision-outcome.num.dim", {}, outcome),
    icon("next", "icon16 go"),
  ];
  const id = `decision-${decision.key.replaceAll(/[^\w-]/g, "-")}`;
  const row =
    href === null
      ? el(
          "button.decision",
          {
            type: "button",
            "aria-expanded": String(isOpen),
            "aria-controls": isOpen ? id : null,
            on: { click: () => open(decision) },
          },
          ...cells,
        )
      : el("a.decision.explained", { href }, ...cells);
  const item = el("li", { "data-position": String(decision.position) }, row);
  if (isOpen && href === null) item.append(el("div.decision-detail", { id }, detail(decision)));
  return item;
}

function beforeAfter(before, after, max) {
  const top = Math.max(max, before, 1);
  return el(
    "span.before-after",
    { vars: { "--before": String(before / top), "--after": String(after / top) } },
    el("i", { "aria-hidden": "true" }),
    el("span.num", {}, `${compact(before)} → ${compact(after)}`),
  );
}
