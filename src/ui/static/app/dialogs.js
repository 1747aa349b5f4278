import { el } from "../draw/dom.js";
import { reasonLine } from "./guard.js";

/**
 * Asks once before an action: what it does and what it costs. Answers whether to go on. What cannot be done by now, the
 * connection being lost since it was asked for, says so and is not offered.
 */
export function confirmAction({ title, body, action }, guard) {
  const dialog = document.getElementById("confirm");
  const go = el("button.button.primary", { type: "submit", value: "go" }, action);
  const why = el("p.wrong", { role: "status", hidden: "" });
  guard.button(go, { told: reasonLine(why) });
  const stay = el("button.button", { type: "submit", value: "stay" }, "Cancel");
  const form = el("form", { method: "dialog" }, el("div.actions", {}, stay, go));
  dialog.replaceChildren(
    el("h2", { id: "confirm-title" }, title),
    ...[body].flat().map((line) => el("p", {}, line)),
    why,
    form,
  );
  dialog.returnValue = "stay";
  return new Promise((answer) => {
    // The page's policy forbids that forms are sent anywhere, this way of closing a dialog too in some browsers.
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close(event.submitter?.value ?? "stay");
    });
    dialog.addEventListener("close", () => answer(dialog.returnValue === "go"), { once: true });
    dialog.showModal();
    stay.focus();
  });
}

/** The keys, as `?` shows them. */
export function showHelp(groups) {
  const dialog = document.getElementById("help");
  const close = el("button.button", { type: "button", on: { click: () => dialog.close() } }, "Close");
  dialog.replaceChildren(
    el("h2", { id: "help-title" }, "Keyboard"),
    el(
      "dl.keys",
      {},
      ...groups.flatMap(([keys, words]) => [
        el("dt", {}, ...keys.split(" ").map((key) => el("kbd", {}, key))),
        el("dd", {}, words),
      ]),
    ),
    el("div.actions", {}, close),
  );
  dialog.showModal();
}
