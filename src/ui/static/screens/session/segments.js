import { el } from "../../draw/dom.js";

/** A choice of one, as radio buttons that look like one control. `options`: [value, name] pairs. */
export function segments(name, label, options, chosen, onChoose) {
  const field = el("fieldset.segments", {}, el("legend.unseen", {}, label));
  for (const [value, text] of options) {
    const input = el("input", { type: "radio", name, value, on: { change: () => onChoose(value) } });
    input.checked = value === chosen;
    field.append(el("label", {}, input, el("span", {}, text)));
  }
  return field;
}
