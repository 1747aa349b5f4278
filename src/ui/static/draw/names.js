/** Names that agents chose, as they can be shown: `textContent` keeps them from being markup, these keep them in sight. */

/** Nothing of such a name leaves ink: controls, spaces, and what stands for nothing by itself. */
const UNSEEN = /^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

/** The name, or of one that cannot be seen its characters as escapes: `\u200b`. */
export function visible(name) {
  return UNSEEN.test(name) ? Array.from(name, escaped).join("") : name;
}

/** At most so many characters of a name, for where a long one has no place, as the title of a tab. */
export function shortened(name, most = 80) {
  const characters = Array.from(visible(name).slice(0, 2 * most + 2));
  return characters.length <= most ? characters.join("") : `${characters.slice(0, most - 1).join("")}…`;
}

function escaped(character) {
  const code = character.codePointAt(0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
