import { el } from "../../draw/dom.js";

const AGAIN_MS = 5_000;
let nextId = 0;

/** A panel with its head: `{ node, head, hint, body }`. `name` is its heading and its name for screen readers. */
export function panel(name, className = "") {
  const id = `lab-panel-${nextId++}`;
  const hint = el("span.hint");
  const head = el("header.panel-head", {}, el("h2", { id }, name), hint);
  const body = el("div.lab-body");
  const node = el("section.panel", { "aria-labelledby": id }, head, body);
  if (className !== "") node.classList.add(className);
  return { node, head, hint, body };
}

/** What could not be read or done, its code, and a way to try again; by itself where that may help. */
export function failure(what, error, again) {
  const code = error.code === null ? error.reason : `${error.code} ${error.reason}`;
  const node = el(
    "div.lab-failure",
    { role: "alert" },
    el("p", {}, `${what} ${error.message}`),
    el("p.hint", {}, el("code", {}, code)),
  );
  if (again === null) return node;
  node.append(el("button.button", { type: "button", on: { click: again } }, "Try again"));
  if (error.retryable) setTimeout(() => node.isConnected && again(), AGAIN_MS);
  return node;
}

/** Lets what is wider than its panel be scrolled there, by keyboard too. */
export function scrolled(name, node) {
  return el("div.lab-scroll", { tabindex: "0", role: "region", "aria-label": name }, node);
}

/** The mark of A, an open ring, or of B, a full one. */
export function side(letter) {
  return el(`span.lab-side.of-${letter.toLowerCase()}`, { "aria-hidden": "true" }, letter);
}
