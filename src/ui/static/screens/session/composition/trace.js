import { el } from "../../../draw/dom.js";
import { lifeOf, lifeWords } from "../read/phrase.js";

const MOST_MATCHES = 100;
const WORD_FROM_PX = 64;

/** The life of one phrase on the chart's axis: held, evicted, back; with a sentence. */
export class Trace {
  #field = el("input.field.mono", {
    id: "phrase",
    type: "search",
    maxlength: "1000",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "a name, a path, a figure",
  });
  #words = el("p.num", { role: "status" });
  #track = el("div.lane-marks");
  #lane = el(
    "div.lane.life-lane",
    { hidden: "" },
    el("span.lane-name", { "aria-hidden": "true" }, "held"),
    this.#track,
  );
  node = el(
    "form.trace",
    { role: "search" },
    el("div.trace-head", {}, el("label", { for: "phrase" }, "Trace a phrase"), this.#field, this.#words),
    this.#lane,
  );
  #call;
  #life = null;
  #asked = 0;
  #axis = null;
  #phrase = "";

  /** `onPhrase(phrase)` when the reader asks for another one. */
  constructor(call, onPhrase) {
    this.#call = call;
    const ask = (event) => {
      event.preventDefault();
      onPhrase(this.#field.value.trim());
    };
    this.node.addEventListener("submit", ask);
    this.#field.addEventListener("search", ask);
  }

  /** Asks for a phrase, "" for none; again when `turn` went on. */
  async show(phrase, turn) {
    if (phrase !== this.#phrase && document.activeElement !== this.#field) this.#field.value = phrase;
    this.#phrase = phrase;
    const asked = ++this.#asked;
    if (phrase === "") return this.#tell(null, [["", false]]);
    try {
      const { matches } = await this.#call("content.search", { query: phrase, limit: MOST_MATCHES });
      if (asked !== this.#asked) return;
      const life = lifeOf(matches, turn);
      this.#tell(life, lifeWords(life));
    } catch (error) {
      if (asked === this.#asked)
        this.#tell(null, [[`Could not be traced: ${error.message} (${error.code ?? error.reason})`, false]]);
    }
  }

  lay(axis) {
    this.#axis = axis;
    this.#draw();
  }

  #tell(life, sentences) {
    this.#life = life;
    this.#words.replaceChildren(...sentences.map(([text, isStrong]) => (isStrong ? el("b", {}, text) : text)));
    this.#draw();
  }

  #draw() {
    const axis = this.#axis;
    this.#lane.hidden = this.#life === null || this.#life.length === 0;
    if (this.#lane.hidden || axis === null) return;
    const within = this.#life.filter(({ from, to }) => to > axis.from && from <= axis.to);
    this.#track.replaceChildren(...within.map((stretch) => segment(stretch, axis)));
  }
}

function segment({ from, to, state, label }, axis) {
  const left = axis.x(Math.max(from, axis.from));
  const right = axis.x(Math.min(to, axis.to + 1));
  const width = Math.max(2, right - left);
  const last = to - 1;
  const turns = last === from ? `turn ${from}` : `turns ${from} to ${last}`;
  return el(
    `span.life.${state}`,
    { title: `${label}, ${turns}`, vars: { "--x": `${left}px`, "--w": `${width}px` } },
    width < WORD_FROM_PX ? el("span.unseen", {}, label) : el("em", {}, label),
  );
}
