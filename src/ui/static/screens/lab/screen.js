import { el } from "../../draw/dom.js";

/** Policies against each other, on the sessions of this daemon. */
export const screen = {
  name: "lab",
  pattern: ["lab"],
  tab: "lab",
  title: () => "Policy lab",
  open(root) {
    root.append(el("section.lead", {}, el("h1", {}, "Policy lab")));
    return {};
  },
};
