import type { Passage } from "../../model/passage.ts";
import type { Extractor } from "./extractor.ts";
import { hasError, isBlank, sampleOf, shareOf } from "./line-signs.ts";
import { fitOutline } from "./outline.ts";
import { extensionOf, folderOf, namedCounts } from "./path-names.ts";
import { type Piece, piecesOf } from "./pieces.ts";

const LEAST_LINES = 8;
/** Share of lines that name one file each, and where the call asks for a list. */
const SHARE = 0.9;
const SHARE_ASKED = 0.65;

const LONG_FORM = /^[-dlbcps][-rwxsStT]{9}[.+@]?\s+\d/;
const TREE = /^[\s│|]*(?:[├└]──|\|--|`--|\+---)\s?\S/;
/** A line that is one path: no blanks but escaped ones, and a slash or an extension in it. */
const ONE_PATH = /^\s{0,4}(?=\S*[/.])[^\s:;,(){}=<>"']{1,400}[/*@]?\s*$/;
/** A file or folder without either, or the head of its list, where the call asked for names. */
const BARE_NAME = /^[^\s:;,(){}=<>"']{1,200}:?$/;
const ASKS_FOR_LIST =
  /\b(?:ls|find|tree|glob|rg --files|ls-files|ls-tree|dir|list_?dir(?:ectory)?|list_?files|view)\b|grep -\w*l/i;
/** Files by which a folder's purpose is known. */
const TELLING =
  /(?:^|\/)(?:readme[^/]*|makefile|dockerfile|package\.json|pyproject\.toml|setup\.(?:py|cfg)|cargo\.toml|go\.mod|pom\.xml|build\.gradle\S*|tsconfig\.json|[^/]*\.(?:lock|config\.\w+)|(?:index|main|mod|lib|__init__|app|conf(?:ig)?|settings)\.\w+)[*@]?$/i;

/** Lists of files: folders and telling files, the first file of each folder; the rest is counted by kind. */
export const listing: Extractor = {
  name: "listing",
  recognises(passage) {
    const lines = sampleOf(passage.text);
    if (lines.length < LEAST_LINES) return false;
    if (shareOf(lines, namesFile) >= (asksForList(passage) ? SHARE_ASKED : SHARE)) return true;
    return asksForList(passage) && shareOf(lines, (line) => namesFile(line) || BARE_NAME.test(line)) >= SHARE;
  },
  extract(text, options) {
    const pieces = piecesOf(text);
    const paths = pieces.map((piece) => pathOf(piece.text));
    const nameGap = (from: number, to: number) => detailOf(paths.slice(from, to));
    return fitOutline(text, { pieces, weights: weightsOf(pieces, paths), nameGap }, options);
  },
};

function namesFile(line: string): boolean {
  return ONE_PATH.test(line) || LONG_FORM.test(line) || TREE.test(line);
}

function asksForList({ tool }: Passage): boolean {
  return tool !== null && ASKS_FOR_LIST.test(`${tool.name} ${tool.argumentsText.slice(0, 2_000)}`);
}

/** The path or name in a line; folders end with a slash where the line tells that. */
function pathOf(line: string): string {
  if (LONG_FORM.test(line)) {
    const name = line.split(/\s+/).slice(8).join(" ").split(" -> ")[0] ?? "";
    return line.startsWith("d") && !name.endsWith("/") ? `${name}/` : name;
  }
  if (TREE.test(line)) return line.replace(/^[\s│|├└─`+-]+/, "").trim();
  return line.trim();
}

/** Folders, also those that a line shows only by the paths of others. */
function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set(paths.map(folderOf));
  folders.delete("");
  return folders;
}

function weightsOf(pieces: readonly Piece[], paths: readonly string[]): Float64Array {
  const folders = foldersOf(paths);
  const perFolder = new Map<string, number>();
  const kinds = new Map<string, number>();
  for (const path of paths) kinds.set(extensionOf(path), (kinds.get(extensionOf(path)) ?? 0) + 1);
  const last = pieces.length - 1;
  return Float64Array.from(paths, (path, index) => {
    const line = pieces[index]?.text ?? "";
    if (isBlank(line)) return 0;
    if (index === 0 || index === last) return 0.9;
    if (!namesFile(line)) return hasError(line) ? 0.95 : 0.7;
    if (path.endsWith("/") || folders.has(path)) return Math.max(0.45, 0.85 - 0.05 * depthOf(path));
    const nth = perFolder.get(folderOf(path)) ?? 0;
    perFolder.set(folderOf(path), nth + 1);
    const isRare = (kinds.get(extensionOf(path)) ?? 0) <= Math.max(1, 0.02 * pieces.length);
    const own = nth === 0 ? 0.5 : isRare ? 0.4 : 0.2 / (1 + 0.1 * nth);
    return TELLING.test(path) ? Math.max(own, 0.6 - 0.03 * depthOf(path)) : own;
  });
}

function folderNameOf(path: string): string {
  const folder = folderOf(path);
  return folder === "" ? "" : `${folder.slice(folder.lastIndexOf("/") + 1)}/`;
}

function depthOf(path: string): number {
  return path.split("/").length;
}

/** `manager/ 40; .ts 38, .md 2`. */
function detailOf(paths: readonly string[]): string {
  const named = paths.filter((path) => path !== "");
  const folders = namedCounts(
    named.map(folderNameOf).filter((folder) => folder !== ""),
    2,
  );
  const kinds = namedCounts(
    named
      .filter((path) => !path.endsWith("/"))
      .map(extensionOf)
      .filter((kind) => kind !== ""),
    3,
  );
  return [folders, kinds].filter((words) => words !== "").join("; ");
}
