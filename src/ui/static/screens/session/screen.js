import { el } from "../../draw/dom.js";

/** One session: how full, what it is made of, what was decided. */
export const screen = {
  name: "session",
  pattern: ["session", ":session"],
  tab: "fleet",
  title: ({ session }) => session,
  open(root, _app, { session }) {
    root.append(el("section.lead", {}, el("h1.mono", {}, session)));
    return {};
  },
};
