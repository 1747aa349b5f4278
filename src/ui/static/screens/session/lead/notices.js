import { el } from "../../../draw/dom.js";
import { shortened } from "../../../draw/names.js";
import { decisionMissing, departureOf, turnNamed, windowMissing } from "../read/named.js";

/** Reasons of `content.get` that say that the session has no such block. */
const UNKNOWN = new Set(["content_not_found", "invalid_params"]);

/** What the address names and the session does not have: said once, quietly; the screen is as if it were not named. */
export class Notices {
  node = el("ul.notices", { role: "status", hidden: "" });
  #app;
  #session;
  #call;
  #onChange;
  /** The decision, as the address writes it, that was looked for among all that was read. */
  #searched = null;
  /** The block that was asked for by itself, and what was said of it. */
  #block = { id: null, words: null };
  #shown = "";

  /** `call(method, params)` of the session; `onChange()` when more is known. */
  constructor(app, session, call, onChange) {
    this.#app = app;
    this.#session = session;
    this.#call = call;
    this.#onChange = onChange;
  }

  searched(decision) {
    this.#searched = String(decision);
    this.#onChange();
  }

  /** { summary, trend, context, history, decisions }: what was not read yet is undefined, and nothing is said of it. */
  show({ summary, trend, context, history, decisions }) {
    const { query } = this.#app;
    const named = query.get("decision");
    const isSearched = history.isRead && (this.#searched === named || !Number.isInteger(Number(named)));
    const notices = [
      [turnNamed(query.get("turn"), summary.turn).missing],
      trend === undefined ? [null] : [windowMissing(query.get("window"), trend.windows ?? [])],
      context === undefined || !history.isRead ? [null] : this.#blockNotice(query.get("block"), context, decisions),
      isSearched ? [decisionMissing(named, decisions, history.isWhole)] : [null],
    ].filter(([words]) => words !== null);
    const key = JSON.stringify(notices);
    if (key === this.#shown) return;
    this.#shown = key;
    this.node.hidden = notices.length === 0;
    this.node.replaceChildren(...notices.map(([words, href]) => notice(words, href ?? null)));
  }

  /** [words, address of the decision that took it], or [null]. */
  #blockNotice(id, context, decisions) {
    if (id === null || (context.blocks ?? []).some(({ block_id }) => block_id === id)) return [null];
    const departure = departureOf(id, decisions);
    if (departure !== null) {
      const { turn, passId } = departure;
      const href = this.#app.href(["session", this.#session, "decision", passId], { block: id });
      return [`Block ${shortened(id, 40)} left at turn ${turn}.`, href];
    }
    if (this.#block.id !== id) this.#ask(id);
    return [this.#block.words];
  }

  async #ask(id) {
    this.#block = { id, words: null };
    let words = null;
    try {
      await this.#call("content.get", { block_id: id });
      words = `Block ${shortened(id, 40)} is not in the context any more.`;
    } catch (error) {
      if (UNKNOWN.has(error.reason)) words = `Block “${shortened(id, 40)}” is not of this session.`;
    }
    if (this.#block.id !== id) return;
    this.#block.words = words;
    this.#onChange();
  }
}

function notice(words, href) {
  const link = href === null ? null : el("a.anchor", { href }, "Its decision");
  return el("li", {}, el("span", {}, words), link);
}
