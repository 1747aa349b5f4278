import { el } from "../../draw/dom.js";
import { whole } from "../../draw/format.js";
import { difference, recall } from "./words.js";

/** The runs, worst for B first, as dumbbells: an open mark for A, a full one for B. One of them is chosen. */
export class Runs {
  #list = el("div.lab-runs", { role: "listbox", tabindex: "0", "aria-label": "Runs, worst for B first" });
  #scale = el("span.lab-scale.num", { "aria-hidden": "true" });
  #runs = [];
  #chosen = null;
  #onChoose;
  node;

  /** `onChoose(id)`. */
  constructor(onChoose) {
    this.#onChoose = onChoose;
    const head = el(
      "div.lab-run.lab-runs-head",
      { "aria-hidden": "true" },
      el("span", {}, "Run"),
      this.#scale,
      el("span.n", {}, "B − A"),
    );
    this.#list.addEventListener("keydown", (event) => this.key(event) && event.preventDefault());
    this.node = el("div.lab-runs-box", {}, head, this.#list);
  }

  show(runs, chosen) {
    this.#runs = runs;
    this.#chosen = chosen;
    const values = runs.flatMap(({ a, b }) => [a, b]).filter((value) => value !== null);
    const low = Math.max(0, Math.floor((Math.min(...values, 1) - 0.02) * 20) / 20);
    const high = Math.min(1, Math.ceil((Math.max(...values, low) + 0.02) * 20) / 20);
    const place = (value) => `${(((value - low) / (high - low || 1)) * 100).toFixed(2)}%`;
    this.#scale.replaceChildren(...[low, high].map((tick) => el("i", {}, tick === 1 ? "1" : recall(tick).slice(0, 3))));
    this.#list.replaceChildren(...runs.map((run, i) => this.#row(run, i, place)));
    this.#mark();
  }

  choose(id) {
    this.#chosen = id;
    this.#mark();
  }

  /** Arrow keys and j, k; true when it was one of them. */
  key({ key }) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -Infinity, End: Infinity }[key];
    if (step === undefined || this.#runs.length === 0) return false;
    const at = this.#runs.findIndex(({ id }) => id === this.#chosen);
    const next = this.#runs[Math.min(this.#runs.length - 1, Math.max(0, at + step))];
    if (next.id !== this.#chosen) this.#onChoose(next.id);
    return true;
  }

  /** The chosen run in words; "" without one. */
  spoken() {
    const at = this.#runs.findIndex(({ id }) => id === this.#chosen);
    if (at < 0) return "";
    const run = this.#runs[at];
    return `Run ${at + 1} of ${this.#runs.length}: ${run.id}${words(run)}${difference(run.difference, recall)}`;
  }

  #row(run, index, place) {
    const { id, a, b, difference: off } = run;
    const marks =
      a === null || b === null
        ? el("span.hint", {}, "no recall")
        : el(
            "span.lab-dumb",
            {
              vars: {
                "--a": place(a),
                "--b": place(b),
                "--from": place(Math.min(a, b)),
                "--to": place(Math.max(a, b)),
              },
            },
            el("i.link"),
            el("i.a"),
            el("i.b"),
          );
    return el(
      "div.lab-run",
      { role: "option", id: `lab-run-${index}`, on: { click: () => this.#onChoose(id) } },
      el("span.mono.lab-run-id", { title: id }, id),
      el("span.unseen", {}, words(run)),
      marks,
      el(off !== null && off < 0 ? "span.n.num.is-worse" : "span.n.num", {}, difference(off, recall)),
    );
  }

  #mark() {
    for (const [i, option] of [...this.#list.children].entries()) {
      const isChosen = this.#runs[i]?.id === this.#chosen;
      option.setAttribute("aria-selected", String(isChosen));
      if (!isChosen) continue;
      this.#list.setAttribute("aria-activedescendant", option.id);
      const { offsetTop, offsetHeight } = option;
      const { scrollTop, clientHeight } = this.#list;
      if (offsetTop < scrollTop) this.#list.scrollTop = offsetTop;
      else if (offsetTop + offsetHeight > scrollTop + clientHeight) {
        this.#list.scrollTop = offsetTop + offsetHeight - clientHeight;
      }
    }
  }
}

function words({ turns, a, b }) {
  return `, ${whole(turns)} turns: A ${recall(a)}, B ${recall(b)}, B less A `;
}
