import { el, setText } from "../../draw/dom.js";

/**
 * A panel that could not be read says so, with the daemon's code, and is tried again by itself; the rest of the screen
 * stays. `fault`: a CallError, or undefined when there is none any more.
 */
export function showFault(panel, fault, onAgain) {
  const shown = panel.querySelector(":scope > .fault");
  if (fault === undefined) {
    shown?.remove();
    return;
  }
  const line = shown ?? faultLine(onAgain);
  const code = fault.code === null ? fault.reason : `${fault.code} ${fault.reason}`;
  setText(line.firstElementChild, `Could not be read: ${fault.message}`);
  setText(line.children[1], code);
  if (shown === null) panel.append(line);
}

function faultLine(onAgain) {
  const again = el("button.button", { type: "button", on: { click: onAgain } }, "Try again");
  return el("div.fault", { role: "status" }, el("p"), el("p.mono.dim"), again);
}
