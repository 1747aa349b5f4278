export { identifierHashes, ReferenceIndex } from "./reference-index.ts";
