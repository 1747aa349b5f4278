import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { HttpRoute } from "./routes.ts";

/**
 * `/runbooks/<Alert>.md`: what to do about each alert, as it stands in the folder, so that whoever is paged needs no access
 * to the sources. It is documentation and holds nothing of anybody's, so it takes no token. None where the folder is missing.
 */
export function runbookRoutes(folder: string): HttpRoute[] {
  return filesOf(folder).map((name) => ({
    method: "GET",
    path: `/runbooks/${name}`,
    summary: `What to do about ${basename(name, ".md")}.`,
    access: "open",
    // Browsers show plain text, and save Markdown.
    answer: () => ({
      status: 200,
      contentType: "text/plain; charset=utf-8",
      body: readFileSync(join(folder, name), "utf8"),
    }),
  }));
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[A-Z]\w*\.md$/.test(name) && name !== "README.md");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
