import { el } from "../../draw/dom.js";

/** The daemon itself. */
export const screen = {
  name: "system",
  pattern: ["system"],
  tab: "system",
  title: () => "System",
  open(root) {
    root.append(el("section.lead", {}, el("h1", {}, "System")));
    return {};
  },
};
