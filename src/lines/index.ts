export { characters, indexOfWord, trimmed, withoutTrailingSpace, wordsOf } from "./characters.ts";
export { linesOfDocument } from "./lines.ts";
export { linesOfPart } from "./part-lines.ts";
export { type ValueKind, valuesOfLine, withoutEscapes } from "./values.ts";
