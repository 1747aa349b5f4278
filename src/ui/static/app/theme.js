const KEPT_AS = "contextd.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Dark or light: the system's, until the reader chooses. The choice is kept in the browser, where it may be. */
export class Theme {
  #onChange;

  constructor(onChange) {
    this.#onChange = onChange;
    const kept = read();
    if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
    dark.addEventListener("change", onChange);
    matchMedia("(forced-colors: active)").addEventListener("change", onChange);
  }

  get current() {
    return document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
  }

  toggle() {
    const next = this.current === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(KEPT_AS, next);
    } catch {
      // A browser that keeps nothing shows the choice until the page is closed.
    }
    this.#onChange();
  }
}

function read() {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}
