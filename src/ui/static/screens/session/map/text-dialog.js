import { el } from "../../../draw/dom.js";

/** Characters that are shown of one text; the rest is told by its number. */
const MOST_CHARACTERS = 200_000;

/** A text in a dialog of its own: as it came, and beside it as it stands there now, where that differs. */
export function showTexts({ title, hint, texts }) {
  const dialog = el("dialog.text-dialog", { "aria-labelledby": "text-dialog-title" });
  const close = el("button.button", { type: "button", on: { click: () => dialog.close() } }, "Close");
  dialog.append(
    el("h2", { id: "text-dialog-title" }, title),
    hint === "" ? "" : el("p.dim", {}, hint),
    ...texts.map(([name, text]) => part(name, text, texts.length > 1)),
    el("div.actions", {}, close),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.querySelector("#main > .screen").append(dialog);
  dialog.showModal();
}

function part(name, text, isNamed) {
  const cut = text.length > MOST_CHARACTERS;
  const shown = el(
    "pre",
    { tabindex: "0", role: "region", "aria-label": name },
    cut ? text.slice(0, MOST_CHARACTERS) : text,
  );
  const rest = cut
    ? el("p.dim", {}, `and ${(text.length - MOST_CHARACTERS).toLocaleString("en-US")} characters more`)
    : null;
  return el("section", {}, isNamed ? el("h3", {}, name) : null, shown, rest);
}
