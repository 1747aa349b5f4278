/**
 * Elements, made by code and never of strings: `textContent` and attributes only, so that a name that looks like markup
 * stays a name. Styles go through the CSSOM, which the page's policy allows.
 */

/** el("div.row", { title, vars: { "--y": "3px" }, on: { click } }, ...children). Children that are null are left out. */
export function el(spec, properties = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag);
  if (classes.length > 0) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === "vars") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** A symbol of index.html. */
export function icon(symbol, className = "icon16") {
  return svg("svg", { class: className, "aria-hidden": "true" }, svg("use", { href: `#${symbol}` }));
}

/** The element of a screen that has `data-slot="name"`. */
export function slot(root, name) {
  return root.querySelector(`[data-slot="${name}"]`);
}

/** Replaces the text only where it changed, so that a repaint costs what changed. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A line through values, its last one marked. */
export function sparkline(values, options = {}) {
  const node = svg("svg", { "aria-hidden": "true" }, svg("path"), svg("circle", { r: 1.9 }));
  drawSparkline(node, values, options);
  return node;
}

/** Draws other values into a line that is there. */
export function drawSparkline(node, values, { width = 52, height = 18, zone = null, least = 0 } = {}) {
  const top = Math.max(...values) * 1.06 || 1;
  const x = (i) => 1 + (i / Math.max(1, values.length - 1)) * (width - 4);
  const y = (value) => height - 2 - ((value - least) / (top - least || 1)) * (height - 4);
  const path = values.map((value, i) => `${i === 0 ? "M" : "L"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const [line, end] = node.children;
  node.setAttribute("class", zone === null ? "spark" : `spark in-${zone}`);
  for (const [name, size] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) {
    if (node.getAttribute(name) !== String(size)) node.setAttribute(name, size);
  }
  line.setAttribute("d", path);
  end.setAttribute("cx", x(values.length - 1).toFixed(1));
  end.setAttribute("cy", y(values.at(-1)).toFixed(1));
}

/** Speaks to a screen reader. */
export function say(text) {
  document.getElementById("say").textContent = text;
}
