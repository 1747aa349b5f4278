import { el, icon, setText } from "../../../draw/dom.js";
import { span, whole } from "../../../draw/format.js";

/** Who the session is: its id, what is known of it in a line, and what can be done. */
export class Lead {
  node;
  #facts = el("p.facts.dim.num");
  #seen = el("span");
  #shown = "";
  #lastSeen = null;

  constructor(app, session, actions) {
    const up = el("a", { href: app.href(["fleet"]) }, "Fleet");
    const crumbs = el("nav.crumbs", { "aria-label": "Where this is" }, up, el("span", { "aria-hidden": "true" }, "/"));
    crumbs.append(el("span", { "aria-current": "page" }, session));
    const who = el("div.who", {}, el("h1.mono", {}, session), this.#facts);
    this.node = el("header.lead.session-lead", {}, crumbs, el("div.lead-row", {}, who, actions));
  }

  show(summary, tenant, policy) {
    const { agent, model, profile, window_number: window, turn, revision, closed } = summary;
    this.#lastSeen = summary.last_seen;
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
    const shut = closed ? el("span.closed", {}, icon("window"), "closed") : null;
    this.#facts.replaceChildren(...facts.map((fact) => el("span.fact", {}, fact)), this.#seen);
    if (shut !== null) this.#facts.prepend(shut);
  }

  paint(now) {
    if (this.#lastSeen !== null) setText(this.#seen, `last hook ${span(now - this.#lastSeen)} ago`);
  }
}
