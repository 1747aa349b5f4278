import { el, icon, setText } from "../../draw/dom.js";
import { whole, zoneWord } from "../../draw/format.js";
import { ZONES } from "./buckets.js";

/** The zones with their counts, the most urgent first: the legend of the strip, and what it and the table show. */
export class ZoneKeys {
  #keys;

  constructor(root, onToggle) {
    this.#keys = [...ZONES].reverse().map((zone) => {
      const figure = el("span.num");
      const button = el(
        `button.zone-key.in-${zone}`,
        { type: "button", "aria-pressed": "false", on: { click: () => onToggle(zone) } },
        icon(`zone-${zone}`, "shape"),
        zoneWord(zone),
        figure,
        el("i.weight"),
      );
      return { zone, figure, button };
    });
    root.append(...this.#keys.map(({ button }) => button));
  }

  draw(counts, choices) {
    for (const { zone, figure, button } of this.#keys) {
      setText(figure, whole(counts[ZONES.indexOf(zone)]));
      const pressed = String(choices.zones.has(zone));
      if (button.getAttribute("aria-pressed") !== pressed) button.setAttribute("aria-pressed", pressed);
      button.classList.toggle("out", !choices.showsZone(zone));
    }
  }
}
