export { ReferenceIndex } from "./reference-index.ts";
