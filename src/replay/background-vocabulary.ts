import { readFileSync } from "node:fs";

/** Identifiers that turn up in unrelated projects: writing one is no sign of having read it in this run. */
export function readBackgroundVocabulary(): ReadonlySet<string> {
  const file = new URL("./background-vocabulary.json", import.meta.url);
  return new Set(JSON.parse(readFileSync(file, "utf8")) as string[]);
}
