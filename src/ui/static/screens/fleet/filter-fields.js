import { el } from "../../draw/dom.js";
import { whole } from "../../draw/format.js";
import { FACETS } from "./choices.js";

/** Values offered in a field, the most frequent first: agents choose their names, and a list of thousands is no list. */
const MOST_VALUES = 100;
/** Characters of a name that are shown in a field. */
const LONGEST = 60;

/** The fields above the table: a search, and one field each for profile, agent and model. */
export class FilterFields {
  #choices;
  #search;
  #selects;

  /** `onChange()` after a choice changed. */
  constructor({ search, facets }, choices, onChange) {
    this.#choices = choices;
    this.#search = search;
    search.addEventListener("input", () => {
      this.#choices.words = search.value;
      onChange();
    });
    this.#selects = FACETS.map((facet) => {
      const select = el("select.field", { "aria-label": `Only of this ${facet}` });
      select.addEventListener("change", () => {
        this.#choices.choose(facet, select.value);
        onChange();
      });
      return { facet, select };
    });
    facets.append(...this.#selects.map(({ select }) => select));
  }

  /** Shows the choices as they are. */
  show(choices) {
    this.#choices = choices;
    if (this.#search.value.trim() !== choices.words.trim()) this.#search.value = choices.words;
    for (const { facet, select } of this.#selects) select.value = choices.facet(facet);
  }

  /**
   * Offers what the sessions have. A field with nothing to choose from is not shown. `isWhole`: these are all there
   * are, so that a value is told with how many have it.
   */
  offer(sessions, isWhole = true) {
    for (const { facet, select } of this.#selects) {
      const chosen = this.#choices.facet(facet);
      const values = frequent(sessions, facet);
      if (chosen !== "" && !values.some(([value]) => value === chosen)) values.unshift([chosen, 0]);
      const signature = `${isWhole} ${values.join("\n")}`;
      if (select.dataset.offered !== signature) {
        select.dataset.offered = signature;
        const all = el("option", { value: "" }, `All ${facet}s`);
        select.replaceChildren(all, ...values.map(([value, n]) => option(value, isWhole ? whole(n) : "")));
      }
      select.hidden = values.length < 2 && chosen === "";
      select.value = chosen;
    }
  }
}

function option(value, figure) {
  const name = value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
  // An option has no element to isolate a name in; these characters do what `bdi` does.
  return el("option", { value }, `\u2068${name}\u2069  ${figure}`);
}

function frequent(sessions, facet) {
  const counts = new Map();
  for (const session of sessions) counts.set(session[facet], (counts.get(session[facet]) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MOST_VALUES);
}
