/**
 * The tokens of style/tokens.css as canvases need them: resolved for the theme in force. A token may be a function of
 * the theme, so it is read from an element that has it as its colour.
 */

const probe = document.createElement("i");
probe.hidden = true;
// Where the reader's system forces its colours, the tokens are made of them already.
probe.style.setProperty("forced-color-adjust", "none");
document.body.append(probe);

let read = new Map();

/** `rgb(…)` of a token such as "--red" or "--c-history". */
export function colour(token) {
  let value = read.get(token);
  if (value === undefined) {
    probe.style.color = `var(${token})`;
    value = getComputedStyle(probe).color;
    read.set(token, value);
  }
  return value;
}

/** The same colour, see-through: `alpha` from 0 to 1. */
export function faded(token, alpha) {
  const [r, g, b] = channels(colour(token));
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** Black or white, whichever stands out more on a token's colour laid at `alpha` over the panel. */
export function inkOn(token, alpha = 1) {
  const ground = channels(colour("--panel"));
  const mixed = channels(colour(token)).map((c, i) => c * alpha + ground[i] * (1 - alpha));
  const light = luminance(mixed);
  return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

/** To be called when the theme changes: what was read is read again. */
export function forgetColours() {
  read = new Map();
}

/** 0 to 255 each. What was mixed is told as shares of 1: `color(srgb 0.2 0.3 0.4)`. */
function channels(text) {
  const told = text
    .match(/[\d.]+/g)
    .slice(0, 3)
    .map(Number);
  return text.startsWith("color(") ? told.map((share) => Math.round(share * 255)) : told;
}

/** Relative luminance of WCAG 2, 0 to 1. */
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
