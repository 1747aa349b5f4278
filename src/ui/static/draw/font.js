/** The page's font on a canvas, and what a text takes in it. */

const family = getComputedStyle(document.body).fontFamily;

/** As `context.font` takes it; `size` in px. */
export function font(size = 11, weight = 400) {
  return `${weight} ${size}px ${family}`;
}

/** Width of a text, px; sets the context's font. */
export function widthOf(context, text, size = 11, weight = 400) {
  context.font = font(size, weight);
  return context.measureText(text).width;
}
