// Texts as agents see them: slices of this project's source files and of the libraries it is made with.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDERS = ["src", "docs", "benchmarks", "node_modules/zod", "node_modules/express", "node_modules/pino"];
const ENOUGH = 6_000_000;

function corpus() {
  let text = "";
  for (const folder of FOLDERS) {
    let entries;
    try {
      entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
    } catch {
      continue;
    }
    for (const entry of entries) {
      if (!entry.isFile() || !/\.(?:ts|js|mjs|cjs|json|md)$/.test(entry.name)) continue;
      text += readFileSync(join(entry.parentPath, entry.name), "utf8");
      if (text.length > ENOUGH) return text;
    }
  }
  return text;
}

/** A repeatable source of texts, no two alike: `next(length)` is a slice of `length` characters from anywhere. */
export function textSource(seed = 1) {
  const all = corpus();
  let state = seed;
  let number = 0;
  return {
    next(length) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const at = Math.floor((state / 2 ** 32) * Math.max(1, all.length - length));
      const head = `[${seed}.${++number}] `;
      return head + all.slice(at, at + Math.max(0, length - head.length));
    },
  };
}
