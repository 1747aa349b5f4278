import type { Json, JsonObject } from "../../model/json.ts";
import type { Check, CheckOptions } from "./check.ts";
import { commandWord } from "./command-word.ts";
import { toldHash, toldValue } from "./told-value.ts";

/** Most files that are checked one by one. */
const MOST_FILES = 8;

/** Programs that print a hash of so many hexadecimal digits. */
const PROGRAMS: Readonly<Record<number, string>> = {
  32: "md5sum",
  56: "sha224sum",
  64: "sha256sum",
  96: "sha384sum",
  128: "sha512sum",
};
/** Digits of SHA-1, which is a file's own or that of its git blob. */
const SHA1_DIGITS = 40;
const HASH = /^(?:(md5|sha1|sha224|sha256|sha384|sha512|git|blob)[:-])?([0-9a-f]{7,128})$/i;

/** One check for each of the files that matter most, and one for all others: `files` is {path: hash}. */
export function fileChecks(key: string, files: JsonObject, options: CheckOptions): Check[] {
  const all = Object.entries(files).filter(([, hash]) => hash !== null);
  const names = namesIn(options.focus ?? "");
  const isFirst = ([path]: [string, Json]) => names.has(path.slice(path.lastIndexOf("/") + 1));
  const chosen = [...all.filter(isFirst), ...all.filter((file) => !isFirst(file))].slice(0, MOST_FILES);
  const checks = chosen.map(([path, value]) => fileCheck(`${key}/${path}`, path, value, options));
  const more = all.length - chosen.length;
  if (more === 0) return checks;
  const ask = `Check ${more} more file${more === 1 ? "" : "s"} before you rely on ${more === 1 ? "it" : "them"}.`;
  return [...checks, { key, expected: "as task.get has them", ask, isKnown: true }];
}

/** The words of a text that may be names of files, without their folders. */
function namesIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/[\p{L}\p{N}_@+-]+(?:\.[\p{L}\p{N}_@+-]+)*/gu), ([word]) => word));
}

function fileCheck(key: string, path: string, value: Json, { mask }: CheckOptions): Check {
  const [, name, hash] = (typeof value === "string" && HASH.exec(value)) || [];
  const word = mask(path) === path ? commandWord(path) : null;
  const expected = hash === undefined ? toldValue(key, value, mask) : toldHash(hash);
  return { key, expected, ask: askFor(word, name, hash), isKnown: true };
}

function askFor(file: string | null, name: string | undefined, hash: string | undefined): string {
  if (hash === undefined) return "Look whether the file is as it was noted.";
  if (file === null) return "Compare the file's hash.";
  const program = name === undefined ? PROGRAMS[hash.length] : programOf(name.toLowerCase());
  if (program !== undefined) return `Run \`${program} ${file}\`.`;
  if (hash.length === SHA1_DIGITS) return `Run \`git hash-object ${file}\` or \`sha1sum ${file}\`.`;
  return `Compare the beginning of \`git hash-object ${file}\` or \`sha256sum ${file}\`.`;
}

function programOf(name: string): string {
  return name === "git" || name === "blob" ? "git hash-object" : `${name}sum`;
}
