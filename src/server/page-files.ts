import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

/** Where the page begins, and the first of its modules. */
const INDEX = "index.html";
const ENTRY = "main.js";
/** Characters of the version: enough that two builds never share one. */
const VERSION_LENGTH = 16;

/** The page as it is served. */
export interface PageFiles {
  /** Changes with any file of the page: what is asked for below it never changes, and may be kept for ever. */
  readonly version: string;
  /** index.html, whose links lead to one stylesheet and to the modules of this version. */
  readonly html: string;
  /** All stylesheets in the order in which index.html names them. */
  readonly style: string;
}

/** Path of a version's files below the daemon's address, the version itself left out. */
export const ASSETS = "assets";

/**
 * Reads the page's files once. A browser far away then asks for a few of them at its first visit, each module named
 * before another one imports it, and for none of them afterwards. null: the folder holds no page. Throws what reading a
 * file throws.
 */
export function readPageFiles(directory: string): PageFiles | null {
  if (!existsSync(join(directory, INDEX))) return null;
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
  const hash = createHash("sha256");
  const texts = new Map<string, string>();
  for (const file of files) {
    const text = readFileSync(join(directory, file), "utf8");
    hash.update(`${file}\0${text}\0`);
    texts.set(file, text);
  }
  const version = hash.digest("hex").slice(0, VERSION_LENGTH);
  const index = texts.get(INDEX) as string;
  const base = `${ASSETS}/${version}`;
  return {
    version,
    html: withVersion(index, base, modulesBehind(ENTRY, texts)),
    style: sheetsOf(index)
      .map((sheet) => texts.get(sheet) ?? "")
      .join("\n"),
  };
}

const SHEET = /[ \t]*<link rel="stylesheet" href="([^"]+)">\n?/g;

function sheetsOf(index: string): string[] {
  return [...index.matchAll(SHEET)].map(([, href]) => href as string);
}

function withVersion(index: string, base: string, modules: readonly string[]): string {
  const links = [
    `<link rel="stylesheet" href="${base}/style.css">`,
    ...modules.map((path) => `<link rel="modulepreload" href="${base}/${path}">`),
  ];
  const head = links.map((link) => `  ${link}\n`).join("");
  return index
    .replaceAll(SHEET, "")
    .replace(`src="${ENTRY}"`, `src="${base}/${ENTRY}"`)
    .replace("</head>", () => `${head}</head>`);
}

/** The modules that one imports when it is loaded, itself first; those that are imported later on are not among them. */
function modulesBehind(entry: string, texts: ReadonlyMap<string, string>): string[] {
  const found = new Set([entry]);
  for (const path of found) {
    for (const [, from] of (texts.get(path) ?? "").matchAll(/^(?:import|export|\}) ?(?:.*\bfrom )?"(\.[^"]+)";$/gm)) {
      const target = posix.join(posix.dirname(path), from as string);
      if (texts.has(target)) found.add(target);
    }
  }
  return [...found];
}
