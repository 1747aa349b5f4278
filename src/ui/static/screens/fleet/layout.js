import { el } from "../../draw/dom.js";

/** The parts of the screen, by `data-slot`. */
export function layout() {
  return [
    el("section.lead", {}, el("h1", { "data-slot": "headline" }, "Sessions"), el("p.dim", { "data-slot": "subline" })),
    el("dl.tiles", { "data-slot": "tiles", "aria-label": "The daemon in figures" }),
    horizon(),
    el("div.columns", {}, sessions(), el("aside.rail", { "aria-label": "What happens" }, alerts(), events())),
  ];
}

function head(id, title, hint, ...rest) {
  return el("header.panel-head", {}, el("h2", { id }, title), el("span.hint.num", { "data-slot": hint }), ...rest);
}

function horizon() {
  return el(
    "section.panel.horizon",
    { "data-slot": "horizon", "aria-labelledby": "horizon-title" },
    el(
      "header.panel-head",
      {},
      el("h2", { id: "horizon-title" }, "Turns until red"),
      el("p.hint", {}, "One bar a session, in the order they will reach red. Length is how full its window is."),
      el("div.zone-keys", { "data-slot": "zone-keys", role: "group", "aria-label": "Only these zones" }),
    ),
    el("div.strip", {
      "data-slot": "strip",
      role: "application",
      "aria-roledescription": "strip of sessions",
      "aria-labelledby": "horizon-title",
      "aria-describedby": "horizon-words",
      tabindex: "0",
    }),
    el("p.unseen", { id: "horizon-words", "data-slot": "strip-words" }),
  );
}

function sessions() {
  return el(
    "section.panel",
    { "aria-labelledby": "sessions-title" },
    head(
      "sessions-title",
      "Sessions",
      "count",
      el("div.state-keys", { "data-slot": "state-keys", role: "group", "aria-label": "Which sessions" }),
      el("button.anchor", { type: "button", "data-slot": "clear", hidden: "" }, "Show all"),
      el(
        "div.filters",
        {},
        el("span.facets", { "data-slot": "facets" }),
        el("input.field.search", {
          "data-slot": "filter",
          type: "search",
          placeholder: "Filter: any name",
          "aria-label": "Filter sessions",
          autocomplete: "off",
          spellcheck: "false",
        }),
      ),
    ),
    el("div.grid", { "data-slot": "table" }),
    el("div.grid.closed-grid", { "data-slot": "closed-table", hidden: "" }),
    el("button.button.more", { type: "button", "data-slot": "more", hidden: "" }),
  );
}

function alerts() {
  return el(
    "section.panel.firing",
    { "data-slot": "alerts-panel", "aria-labelledby": "alerts-title", tabindex: "-1", hidden: "" },
    head("alerts-title", "Alerts firing", "alert-count"),
    el("ul.alerts", { "data-slot": "alerts", "aria-labelledby": "alerts-title" }),
  );
}

function events() {
  return el(
    "section.panel.grow",
    { "aria-labelledby": "events-title" },
    head(
      "events-title",
      "Events",
      "tail-hint",
      el("button.icon-button", {
        type: "button",
        "data-slot": "pause",
        "aria-pressed": "false",
        "aria-label": "Pause the events",
      }),
    ),
    el(
      "div.tail-filter",
      {},
      el("select.field", { "data-slot": "tail-kind", "aria-label": "Only events of this kind" }),
      el("input.field", {
        "data-slot": "tail-of",
        type: "search",
        placeholder: "Of session",
        "aria-label": "Only events of sessions with this in their id",
        autocomplete: "off",
        spellcheck: "false",
      }),
    ),
    el("ol.tail", { "data-slot": "tail", "aria-label": "Events, newest first", tabindex: "0" }),
  );
}
