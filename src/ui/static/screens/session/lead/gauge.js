import { el, icon, setText } from "../../../draw/dom.js";
import { percent, whole, windowSize, zoneWord } from "../../../draw/format.js";

/** How full the context is, with the thresholds of its own. */
export class Gauge {
  #shape = icon("zone-green", "shape");
  #word = el("span");
  #tag = el("span.zone", {}, this.#shape, this.#word);
  #share = el("b.share.num");
  #of = el("span.num.dim");
  #marks = ["yellow", "orange", "red"].map((zone) => [zone, el("i")]);
  #bar = el("span.level", { role: "img" }, ...this.#marks.map(([, mark]) => mark));
  #scale = el("p.scale.num", { "aria-hidden": "true" });
  #scaled = "";
  node = el("div.gauge", {}, el("p.gauge-top", {}, this.#tag, this.#share, this.#of), this.#bar, this.#scale);

  show({ zone, utilization, tokens, max_tokens: max, thresholds, window_guessed: guessed }) {
    this.node.className = `gauge in-${zone}`;
    this.#tag.className = `zone in-${zone}`;
    this.#shape.firstChild.setAttribute("href", `#zone-${zone}`);
    setText(this.#word, zoneWord(zone));
    setText(this.#share, percent(utilization));
    setText(this.#of, `${whole(tokens)} of ${whole(max)} tok${guessed ? ", a guess" : ""}`);
    this.#bar.style.setProperty("--share", String(Math.min(1, Math.max(0, utilization))));
    this.#bar.setAttribute(
      "aria-label",
      `${percent(utilization)} full, ${zone}; red from ${percent(thresholds.red, 0)}`,
    );
    for (const [name, mark] of this.#marks) mark.style.setProperty("--at", String(thresholds[name]));
    this.#label(thresholds, max);
  }

  /** Words under the marks; those that would touch are left out. */
  #label(thresholds, max) {
    const key = JSON.stringify([thresholds, max]);
    if (key === this.#scaled) return;
    this.#scaled = key;
    const at = [0, thresholds.yellow, thresholds.orange, thresholds.red, 1];
    const shown = at.filter((share, i) => i === 0 || i === at.length - 1 || (share < 0.86 && share - at[i - 1] > 0.09));
    this.#scale.replaceChildren(
      ...shown.map((share) => el("span", { vars: { "--at": String(share) } }, windowSize(Math.round(share * max)))),
    );
  }
}
