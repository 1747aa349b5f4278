/** Longest text of a field, in code points: room for an id or a name, not for content. */
const LONGEST = 80;
/** What most names are: visible ASCII. */
const USUAL = /^[\x20-\x7e]*$/;

/**
 * A name or id that somebody else chose, as it may stand in a table: one line, no characters that hide or reorder what
 * stands around them, at most 80 code points. Grafana reads the text `NaN` as a number that is missing, which would change
 * the column's type, so it is quoted.
 */
export function displayedText(text: string): string {
  if (text.length <= LONGEST && USUAL.test(text) && text !== "NaN") return text;
  const points = [...text.slice(0, 2 * LONGEST + 2)];
  const cut = points.length > LONGEST ? `${points.slice(0, LONGEST - 1).join("")}…` : points.join("");
  const shown = cut.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
  return shown === "NaN" ? "'NaN'" : shown;
}

/** The same for a tag, which cannot be empty nor hold a backslash. */
export function displayedTag(text: string): string {
  return displayedText(text).replaceAll("\\", "/") || "none";
}
