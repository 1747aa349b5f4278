import { el, icon } from "../../draw/dom.js";

/** The screen's frame: each `data-slot` is filled by the file of that name's part. */
export function layout() {
  return [
    el(
      "nav.crumbs",
      { "aria-label": "Where you are" },
      el("a", { href: "#/fleet" }, "Fleet"),
      el("span", { "aria-hidden": "true" }, "/"),
      el("a.mono", { "data-slot": "up" }),
      el("span", { "aria-hidden": "true" }, "/"),
      el("b", { "data-slot": "crumb" }),
      el("span.pager", {}, pagerLink("earlier", "previous", "["), pagerLink("later", "next", "]")),
    ),
    el("section.lead", {}, el("h1", { "data-slot": "title" }), el("p.why.dim", { "data-slot": "why" })),
    el("ol.steps", { "data-slot": "steps", "aria-label": "How the pass went" }),
    panel("ribbon", "Before and after, in prompt order"),
    el(
      "div.decision-columns",
      {},
      el("div.stack", {}, panel("taken", "What went"), panel("again", "Needed again")),
      el("section.panel.detail", { "data-slot": "detail", "aria-label": "The chosen block" }),
    ),
    el("div.pair", {}, panel("gate", "Was it worth the cache?"), panel("payback", "Payback")),
    el("div.pair", {}, panel("fidelity", "Did it keep what matters?"), panel("carried", "What it carried over")),
  ];
}

function panel(name, heading) {
  return el(
    `section.panel.${name}-panel`,
    { "aria-labelledby": `${name}-heading` },
    el(
      "header.panel-head",
      {},
      el("h2", { id: `${name}-heading` }, heading),
      el("p.hint", { "data-slot": `${name}-hint` }),
    ),
    el("div.panel-body", { "data-slot": name }),
  );
}

function pagerLink(words, symbol, key) {
  const name = `${words.charAt(0).toUpperCase()}${words.slice(1)} decision`;
  return el(
    "a.icon-button",
    { "data-slot": words, "aria-label": `${name} (${key})`, title: `${name} (${key})` },
    icon(symbol),
  );
}
