import express, { type RequestHandler, Router } from "express";
import { ASSETS, type PageFiles, readPageFiles } from "./page-files.ts";

/** A year, in seconds: as long as caches keep anything. */
const FOR_EVER = "public, max-age=31536000, immutable";
/** Kept, and asked about each time. */
const ASK = "no-cache";

/**
 * Serves the page: its first document, asked about at each visit, and below `assets/<version>/` what belongs to it,
 * which is kept for ever. The files are there below their own names as well, and so are those of another version for a
 * page that was opened before the daemon was replaced: what this one has of that name.
 */
export function pageHandler(directory: string): RequestHandler {
  const page = readPageFiles(directory);
  const router = Router({ caseSensitive: true, strict: true });
  if (page !== null) serveDocument(router, page);
  const files = (caching: string): RequestHandler =>
    express.static(directory, {
      ...{ dotfiles: "ignore", redirect: false, index: false },
      setHeaders: (response) => void response.setHeader("Cache-Control", caching),
    });
  if (page !== null) router.use(`/${ASSETS}/${page.version}`, files(FOR_EVER));
  router.use(`/${ASSETS}/:version`, files(ASK));
  router.use(files(ASK));
  return router;
}

function serveDocument(router: Router, { html, style, version }: PageFiles): void {
  router.get(["/", "/index.html"], (request, response) => {
    response.set({ "Content-Type": "text/html; charset=utf-8", "Cache-Control": ASK, ETag: `"${version}"` });
    if (request.fresh) response.status(304).end();
    else response.end(request.method === "HEAD" ? "" : html);
  });
  router.get(`/${ASSETS}/${version}/style.css`, (request, response) => {
    response.set({ "Content-Type": "text/css; charset=utf-8", "Cache-Control": FOR_EVER });
    response.end(request.method === "HEAD" ? "" : style);
  });
}
