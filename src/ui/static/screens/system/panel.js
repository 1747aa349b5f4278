import { el, icon, sparkline } from "../../draw/dom.js";

const THIN = "\u202f";

/** A group of figures with its title. What it shows is put into it again only where it changed. */
export class Panel {
  node;
  #body;
  #shown = null;

  constructor(title, { wide = false } = {}) {
    this.#body = el("div.system-body");
    const heading = el("h2", {}, title);
    this.node = el(wide ? "section.panel.system-wide" : "section.panel", {}, el("header.panel-head", {}, heading));
    this.node.append(this.#body);
  }

  /** `make` builds the body anew where `data` is not what it was. */
  show(data, make) {
    const signature = JSON.stringify(data);
    if (signature === this.#shown) return;
    this.#shown = signature;
    this.#body.replaceChildren(...[make()].flat());
  }
}

/**
 * Rows of a group: { name, value, unit, line, warning }. `line`: values for a small trend, nulls left out; `warning`:
 * the sentence that says what is wrong with the figure.
 */
export function rows(list) {
  return el("dl.system-rows", {}, ...list.map(row));
}

function row({ name, value, unit = "", line = [], warning = null }) {
  const values = line.filter((each) => each !== null && each !== undefined);
  return el(
    warning === null ? "div" : "div.warned",
    {},
    el("dt", {}, name),
    el(
      "dd",
      {},
      values.length < 3 ? null : sparkline(values, { width: 92, height: 18 }),
      warning === null ? null : warningMark(warning),
      el("b.num", {}, value, unit === "" ? null : el("span.unit", {}, `${THIN}${unit}`)),
    ),
    warning === null ? null : el("dd.why", {}, warning),
  );
}

/** A triangle, and the words for who does not see it. */
export function warningMark(words) {
  return el("span.warning-mark", { title: words }, icon("zone-orange", "shape"), el("span.unseen", {}, "Warning: "));
}

export function emptyRow(words) {
  return el("p.system-empty.hint", {}, words);
}
