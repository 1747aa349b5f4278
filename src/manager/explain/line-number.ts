import { indexOfWord } from "../../lines/index.ts";

/** Number, from 1, of the first line of the text that holds the identifier by itself, else within a word; null: none does. */
export function lineNumberOf(text: string, identifier: string): number | null {
  const word = indexOfWord(text, identifier);
  const at = word >= 0 ? word : text.indexOf(identifier);
  if (at < 0) return null;
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}
