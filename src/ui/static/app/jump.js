import { el, icon } from "../draw/dom.js";
import { span } from "../draw/format.js";
import { visible } from "../draw/names.js";
import { addressOf } from "./address.js";
import { ClosedSearch } from "./closed-search.js";

const MOST = 8;

/**
 * The field in the bar: sessions by id, agent, model or profile, the open ones at once and closed ones as the daemon
 * finds them; within a session also a phrase to trace.
 */
export class Jump {
  #app;
  #field = document.getElementById("jump");
  #list = document.getElementById("jump-list");
  #found = [];
  #at = 0;
  #closed;

  constructor(app) {
    this.#app = app;
    this.#closed = new ClosedSearch(
      (method, params) => app.call(method, params),
      () => this.#lookAgain(),
    );
    this.#field.addEventListener("input", () => this.#look());
    this.#field.addEventListener("focus", () => this.#look());
    this.#field.addEventListener("blur", () => this.#close());
    this.#field.addEventListener("keydown", (event) => this.#onKey(event));
    // Before the field loses the focus, which closes the list.
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const at = [...this.#list.children].indexOf(event.target.closest("[role=option]"));
      if (at >= 0) this.#open(at);
    });
  }

  focus() {
    this.#field.focus();
    this.#field.select();
  }

  #look() {
    const words = this.#field.value.trim();
    this.#closed.look(words);
    this.#found = this.#find(words);
    this.#at = 0;
    this.#draw(words);
  }

  /** More was found for the words that stand there: what is chosen stays chosen. */
  #lookAgain() {
    if (this.#list.hidden) return;
    const chosen = this.#found[this.#at]?.to;
    const words = this.#field.value.trim();
    this.#found = this.#find(words);
    this.#at = Math.max(
      0,
      this.#found.findIndex(({ to }) => to === chosen),
    );
    this.#draw(words);
  }

  #find(words) {
    if (words === "") return [];
    return [...this.#sessions(words.toLowerCase()), ...this.#phrase(words), ...this.#closedSessions()];
  }

  #closedSessions() {
    const { sessions } = this.#app.fleet;
    return this.#closed.found
      .filter(({ session_id: id }) => !sessions.has(id))
      .map(({ session_id: id, agent, closed_at: at }) => ({
        to: addressOf(["session", id]),
        mark: icon("window"),
        words: id,
        about: `${agent}, closed ${span(Date.now() - at)} ago`,
      }));
  }

  #sessions(needle) {
    const found = [];
    for (const session of this.#app.fleet.sessions.values()) {
      const { session_id: id, agent, model, profile, zone } = session;
      if (!`${id} ${agent} ${model} ${profile}`.toLowerCase().includes(needle)) continue;
      const mark = icon(`zone-${zone}`, `shape in-${zone}`);
      found.push({ to: addressOf(["session", id]), mark, words: id, about: `${agent}, ${model}` });
      if (found.length === MOST) break;
    }
    return found;
  }

  #phrase(words) {
    const [screen, id] = this.#app.address.names;
    if (screen !== "session") return [];
    const to = addressOf(["session", id], { phrase: words });
    return [{ to, mark: icon("search"), words: `Trace “${words}”`, about: "in this session" }];
  }

  #draw(words) {
    const isOpen = words !== "";
    this.#field.setAttribute("aria-expanded", String(isOpen));
    this.#list.hidden = !isOpen;
    this.#list.replaceChildren(
      ...this.#found.map(({ mark, words: name, about }, i) =>
        el(
          "div",
          { id: `jump-${i}`, role: "option", "aria-selected": String(i === this.#at) },
          mark,
          el("span.mono", {}, visible(name)),
          el("span.dim", {}, about),
        ),
      ),
      ...(isOpen && this.#found.length === 0 ? [el("div.none", {}, this.#none())] : []),
    );
    if (this.#found.length > 0) this.#field.setAttribute("aria-activedescendant", `jump-${this.#at}`);
    else this.#field.removeAttribute("aria-activedescendant");
  }

  #none() {
    if (this.#closed.isLooking) return "No open session of that name; looking among the closed ones.";
    return this.#closed.failed
      ? "No open session of that name; the closed ones could not be read."
      : "No session of that name, open or closed.";
  }

  #onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") this.#field.blur();
    else if (event.key === "Enter" && this.#found.length > 0) this.#open(this.#at);
    else if (step !== undefined && this.#found.length > 0) {
      this.#at = (this.#at + step + this.#found.length) % this.#found.length;
      this.#draw(this.#field.value.trim());
    } else return;
    event.preventDefault();
  }

  #open(at) {
    const found = this.#found[at];
    if (found === undefined) return;
    this.#field.value = "";
    this.#field.blur();
    location.hash = found.to;
  }

  #close() {
    this.#draw("");
  }
}
