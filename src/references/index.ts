export { extractIdentifiers } from "./identifiers.ts";
export { ReferenceIndex, type ReferenceIndexOptions } from "./reference-index.ts";
