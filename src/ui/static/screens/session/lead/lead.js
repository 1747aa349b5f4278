import { el, icon, setText } from "../../../draw/dom.js";
import { count, span, whole } from "../../../draw/format.js";

/** Who the session is: its id, what is known of it in a line, and what can be done. */
export class Lead {
  node;
  #facts = el("p.facts.dim.num");
  #seen = el("span");
  #ended = el("p.ended", { hidden: "" });
  /** When it was closed, after how many turns and why; null while it is open. */
  #closing = null;
  #shown = "";
  #lastSeen = null;

  constructor(app, session, actions) {
    const up = el("a", { href: app.href(["fleet"]) }, "Fleet");
    const crumbs = el("nav.crumbs", { "aria-label": "Where this is" }, up, el("span", { "aria-hidden": "true" }, "/"));
    crumbs.append(el("span", { "aria-current": "page" }, session));
    const who = el("div.who", {}, el("h1.mono", {}, session), this.#ended, this.#facts);
    this.node = el("header.lead.session-lead", {}, crumbs, el("div.lead-row", {}, who, actions));
  }

  /** `reason`: why it was closed, as far as that was read. */
  show(summary, tenant, policy, reason) {
    const { agent, model, profile, window_number: window, turn, revision, closed } = summary;
    this.#lastSeen = closed ? null : summary.last_seen;
    this.#closing = closed ? { at: summary.closed_at ?? summary.last_seen, turn, reason } : null;
    this.#ended.hidden = !closed;
    const facts = [
      agent,
      model,
      `profile ${profile}`,
      policy === null ? null : `policy ${policy}`,
      tenant === undefined || tenant === null ? null : `tenant ${tenant}`,
      `window ${window}`,
      `turn ${whole(turn)}`,
      `revision ${whole(revision)}`,
    ].filter((fact) => fact !== null);
    const key = JSON.stringify([facts, closed]);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#facts.replaceChildren(...facts.map((fact) => el("span.fact", {}, fact)), ...(closed ? [] : [this.#seen]));
    this.paint(Date.now());
  }

  paint(now) {
    if (this.#lastSeen !== null) setText(this.#seen, `last hook ${span(now - this.#lastSeen)} ago`);
    if (this.#closing !== null) this.#drawClosing(this.#closing, now);
  }
  #drawClosing({ at, turn, reason }, now) {
    const why = reason === null ? "" : `: ${reason}`;
    const words = `${span(now - at)} ago, after ${count(turn, "turn")}${why}. What it decided can be read; nothing more is taken.`;
    if (this.#ended.dataset.words === words) return;
    this.#ended.dataset.words = words;
    this.#ended.title = new Date(at).toLocaleString();
    this.#ended.replaceChildren(icon("window"), el("span", {}, el("b", {}, "Closed "), words));
  }
}
