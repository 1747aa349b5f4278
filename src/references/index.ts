export { identifierHashes, identifiersByHash, ReferenceIndex } from "./reference-index.ts";
