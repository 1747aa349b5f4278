import { el } from "../../draw/dom.js";

/** The parts of the screen, by `data-slot`. */
export function layout() {
  return [
    el("section.lead", {}, el("h1", { "data-slot": "headline" }, "Sessions"), el("p.dim", { "data-slot": "subline" })),
    el("dl.tiles", { "data-slot": "tiles", "aria-label": "The daemon in figures" }),
    el(
      "div.columns",
      {},
      el(
        "section.panel",
        { "aria-labelledby": "sessions-title" },
        el(
          "header.panel-head",
          {},
          el("h2", { id: "sessions-title" }, "Sessions"),
          el("span.hint.num", { "data-slot": "count" }),
          el("input.field", {
            "data-slot": "filter",
            type: "search",
            placeholder: "Filter: id, agent, model, profile",
            "aria-label": "Filter sessions",
            autocomplete: "off",
          }),
        ),
        el("div.grid", { "data-slot": "table" }),
        el("button.button.more", { type: "button", "data-slot": "more", hidden: "" }),
      ),
      el(
        "aside.rail",
        {},
        el(
          "section.panel",
          { "data-slot": "alerts-panel", "aria-labelledby": "alerts-title", hidden: "" },
          el(
            "header.panel-head",
            {},
            el("h2", { id: "alerts-title" }, "Alerts firing"),
            el("span.hint.num", { "data-slot": "alert-count" }),
          ),
          el("ul.alerts", { "data-slot": "alerts" }),
        ),
        el(
          "section.panel.grow",
          { "aria-labelledby": "events-title" },
          el(
            "header.panel-head",
            {},
            el("h2", { id: "events-title" }, "Events"),
            el("span.hint", { "data-slot": "tail-hint" }, "as they are committed"),
            el("button.icon-button", {
              type: "button",
              "data-slot": "pause",
              "aria-pressed": "false",
              "aria-label": "Pause the events",
            }),
          ),
          el("ol.tail", { "data-slot": "tail" }),
        ),
      ),
    ),
  ];
}
