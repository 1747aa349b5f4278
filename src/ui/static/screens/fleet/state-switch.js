import { el } from "../../draw/dom.js";

const STATES = [
  ["open", "Open"],
  ["closed", "Closed"],
];

/** Whether the table shows the open sessions or the closed ones: kept in the address as `?state=closed`. */
export class StateSwitch {
  #buttons;

  constructor(root, onChoose) {
    this.#buttons = STATES.map(([state, name]) => [
      state,
      el("button.state-key", { type: "button", "aria-pressed": "false", on: { click: () => onChoose(state) } }, name),
    ]);
    root.append(...this.#buttons.map(([, button]) => button));
  }

  show(chosen) {
    for (const [state, button] of this.#buttons) button.setAttribute("aria-pressed", String(state === chosen));
  }
}
