/** Words that a shell takes as they are, but for the home folder that it knows. */
const PLAIN = /^(?:~\/)?[\w@%+=:,./][\w@%+=:,./-]*$/;
/** What could end the quotation, the command's own quotes in the text, or the line. */
const UNFIT = /[`'\p{C}\u2028\u2029]/u;
const MOST_CHARACTERS = 200;

/**
 * A path as one word of a shell command that runs nothing else, whatever the path holds; null where it cannot be
 * written in one.
 */
export function commandWord(path: string): string | null {
  if (path.length > MOST_CHARACTERS || path === "" || UNFIT.test(path)) return null;
  if (PLAIN.test(path)) return path;
  // A path that begins with a hyphen would be read as an option.
  return `'${path.startsWith("-") ? "./" : ""}${path}'`;
}
