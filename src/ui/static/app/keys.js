import { showHelp } from "./dialogs.js";

/** Time in which the second key of `g f` must come, ms. */
const CHORD_MS = 1_200;
const SCREENS = { f: ["fleet"], l: ["lab"], s: ["system"] };

const HELP = [
  ["/", "Jump to a session, an agent or a phrase"],
  ["g f", "Fleet"],
  ["g l", "Policy lab"],
  ["g s", "System"],
  ["j k", "Next and previous row; arrows as well"],
  ["Enter", "Open what is chosen"],
  ["← → ↑ ↓", "Move within a chart, a strip or a map"],
  ["[ ]", "Earlier and later decision"],
  ["0", "All windows of a session"],
  ["t", "Dark or light"],
  ["Esc", "One level up"],
  ["?", "These keys"],
];

/** The keys of the whole page. A screen is asked first; what is typed into a field is left alone. */
export class Keys {
  #app;
  #chord = 0;

  constructor(app) {
    this.#app = app;
    addEventListener("keydown", (event) => this.#onKey(event));
  }

  help() {
    showHelp(HELP);
  }

  #onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") !== null) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
    if (this.#app.screen?.key?.(event) === true || this.#own(event.key)) event.preventDefault();
  }

  #own(key) {
    const isChord = performance.now() - this.#chord < CHORD_MS;
    this.#chord = 0;
    if (isChord && Object.hasOwn(SCREENS, key)) return this.#go(SCREENS[key]);
    if (key === "g") this.#chord = performance.now();
    else if (key === "t") this.#app.theme.toggle();
    else if (key === "/") this.#app.jump.focus();
    else if (key === "?") this.help();
    else if (key === "Escape") return this.#up();
    else return false;
    return true;
  }

  #go(names) {
    this.#app.navigate(names);
    return true;
  }

  #up() {
    const { names } = this.#app.address;
    if (names.length < 2) return false;
    return this.#go(names.length > 2 ? names.slice(0, 2) : ["fleet"]);
  }
}
