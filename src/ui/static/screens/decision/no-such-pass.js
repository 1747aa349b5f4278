import { el } from "../../draw/dom.js";
import { shortened } from "../../draw/names.js";

/** What stands in the place of a decision that the session does not have: that it has none of that name, and a way back. */
export function noSuchPass(app, { session, pass }) {
  return el(
    "section.state.narrow",
    {},
    el("h1", {}, "Not found"),
    el("p.dim", {}, `The session ${shortened(session)} has no decision of the name ${shortened(pass)}.`),
    el("p.dim", {}, "All that it decided is listed on its own page."),
    el("p", {}, el("a.button", { href: app.href(["session", session]) }, "Back to the session")),
  );
}
