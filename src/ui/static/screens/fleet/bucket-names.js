import { el, setText } from "../../draw/dom.js";
import { whole } from "../../draw/format.js";
import { BUCKETS } from "./buckets.js";

/** The buckets' names and counts beside the bars. Elements: text on a canvas asks for the page's styles each time. */
export class BucketNames {
  node;
  #names;

  constructor() {
    this.#names = BUCKETS.map(({ name }, b) => {
      const figure = el("span.num");
      return { node: el(b === 0 ? "p.now" : "p", {}, el("span", {}, name), figure), figure, placed: "" };
    });
    this.node = el("div.bucket-names", { "aria-hidden": "true" }, ...this.#names.map(({ node }) => node));
  }

  place(layout) {
    this.node.classList.toggle("narrow", layout.narrow);
    for (const [b, name] of this.#names.entries()) {
      const n = layout.counts[b];
      setText(name.figure, whole(n));
      name.node.classList.toggle("none", n === 0);
      const { x, y, width } = layout.name(b);
      const placed = `${x} ${y} ${width}`;
      if (placed === name.placed) continue;
      name.placed = placed;
      name.node.style.setProperty("--x", `${x}px`);
      name.node.style.setProperty("--y", `${y}px`);
      name.node.style.setProperty("--width", `${width}px`);
    }
  }
}
