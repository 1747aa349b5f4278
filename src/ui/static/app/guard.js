import { setText } from "../draw/dom.js";

const CLOSED = "This session is closed: its history can be read, and nothing more is taken.";
const NO_SCOPE = "This takes a token with the scope operator, which this one does not have.";

/**
 * Whether what acts on the daemon can be done now, decided in one place for all screens. A button that is guarded looks
 * and behaves as what it is: while it cannot be used it is `aria-disabled`, keeps the focus and tells why in the tip;
 * as soon as it can, it is offered again.
 */
export class Guard {
  #app;
  #link;
  /** button → { isClosed, told } */
  #rules = new WeakMap();
  /** The button whose reason the tip shows. */
  #telling = null;

  constructor(app, link) {
    this.#app = app;
    this.#link = link;
    // Before any listener of the button or its form, and for each way of pressing it.
    document.addEventListener("click", (event) => this.#pressed(event), { capture: true });
    for (const type of ["pointerover", "focusin"]) document.addEventListener(type, ({ target }) => this.#tell(target));
    for (const type of ["pointerout", "focusout"]) document.addEventListener(type, () => this.#tell(null));
  }

  /**
   * Guards a button that takes the scope operator, and returns it. `isClosed()`: whether the session that it acts on is
   * closed. `told(reason)`: called with each change, words or null.
   */
  button(button, { isClosed = () => false, told = () => {} } = {}) {
    this.#rules.set(button, { isClosed, told });
    button.dataset.guarded = "";
    this.#update(button);
    return button;
  }

  /** Why an action cannot be done now, in words; null when it can. */
  reason({ isClosed = () => false } = {}) {
    if (!this.#app.can("operator")) return NO_SCOPE;
    return isClosed() ? CLOSED : this.#link.obstacle;
  }

  /** To be called when the connection, the reader's scopes or a session's state have changed. */
  update() {
    for (const button of document.querySelectorAll("[data-guarded]")) this.#update(button);
  }

  #update(button) {
    const rule = this.#rules.get(button);
    const reason = this.reason(rule);
    if (reason === (button.ariaDescription ?? null)) return;
    button.ariaDescription = reason;
    button.ariaDisabled = reason === null ? null : "true";
    rule.told(reason);
    if (button === this.#telling) this.#tell(button);
  }

  #pressed(event) {
    const button = guardedAt(event.target);
    if (button === null) return;
    this.#update(button);
    if (button.ariaDisabled !== "true") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#tell(button);
    this.#app.say(button.ariaDescription);
  }

  #tell(target) {
    const button = guardedAt(target);
    const isOff = button !== null && button.ariaDisabled === "true";
    if (!isOff && this.#telling === null) return;
    this.#telling = isOff ? button : null;
    if (!isOff) return this.#app.tip.hide();
    const { left, width, top, height } = button.getBoundingClientRect();
    this.#app.tip.show(button.ariaDescription, left + width / 2, top + height / 2, height / 2 + 6);
  }
}

function guardedAt(target) {
  return target instanceof Element ? target.closest("[data-guarded]") : null;
}

/** A line that says why the actions beside it are off; it takes no room while they are not. */
export function reasonLine(node) {
  return (reason) => {
    node.hidden = reason === null;
    setText(node, reason ?? "");
  };
}
