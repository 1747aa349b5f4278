import { el } from "../../draw/dom.js";

/** One pass: what it took, why, what it kept, and what came of it. */
export const screen = {
  name: "decision",
  pattern: ["session", ":session", "decision", ":pass"],
  tab: "fleet",
  title: ({ session, pass }) => `${pass}, ${session}`,
  open(root, _app, { pass }) {
    root.append(el("section.lead", {}, el("h1", {}, pass)));
    return {};
  },
};
