import type { RequestListener } from "node:http";
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from "express";
import { ContextdError } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import { faultFields } from "../rpc/dispatcher.ts";
import { type Authenticator, requireAccess } from "./auth.ts";
import type { BodyReader } from "./body.ts";
import { sendFailure } from "./errors.ts";
import { pageHandler } from "./page.ts";
import { Refusal } from "./refusals.ts";
import type { HttpRoute } from "./routes.ts";
import { notServed } from "./target.ts";

export interface SiteOptions {
  readonly routes: readonly HttpRoute[];
  /** Folder of the page's files, served at "/" without a token; null: no page. */
  readonly pageDirectory: string | null;
}

export interface SiteDependencies {
  readonly authenticator: Authenticator;
  readonly bodies: BodyReader;
  readonly log: Log;
}

/** Everything over HTTP except `POST /rpc`: the routes, and the page. Hands errors to its own handler, never Express's. */
export function siteListener(options: SiteOptions, dependencies: SiteDependencies): RequestListener {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.enable("strict routing");
  for (const route of options.routes) {
    const register = route.method === "GET" ? app.get.bind(app) : app.post.bind(app);
    register(route.path, routeHandler(route, dependencies));
  }
  if (options.pageDirectory !== null) app.use(pageHandler(options.pageDirectory));
  app.use((request, _response, next) => next(unserved(request, options.routes)));
  app.use(errorHandler(dependencies.log));
  return app;
}

function routeHandler(route: HttpRoute, dependencies: SiteDependencies): RequestHandler {
  const { authenticator, bodies } = dependencies;
  return async (request, response) => {
    const principal = route.access === "open" ? null : authenticator.authenticate(request.headers.authorization);
    if (principal && route.access !== "open") requireAccess(principal, route.access);
    const reply = await route.answer({
      principal,
      headers: request.headers,
      query: new URLSearchParams(request.url.split("?")[1] ?? ""),
      body: () => bodies.read(request),
    });
    response.writeHead(reply.status, {
      "Content-Type": reply.contentType,
      "Content-Length": Buffer.byteLength(reply.body),
      ...reply.headers,
    });
    response.end(request.method === "HEAD" ? "" : reply.body);
  };
}

/** A path that is served with another method gets 405, any other 404. */
function unserved(request: Request, routes: readonly HttpRoute[]): Refusal {
  const methods = routes.filter((route) => route.path === request.path).map((route) => route.method);
  if (methods.length === 0) return notServed();
  const allow = methods.includes("GET") ? [...methods, "HEAD"] : methods;
  return new Refusal("method_not_allowed", `This path is served with ${allow.join(", ")}.`, {
    Allow: allow.join(", "),
  });
}

/** Express's own handler prints the request to stderr and answers HTML. Four parameters make it an error handler. */
function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const told = toldToCaller(error);
    if (told === null) log.error(faultFields(error), "an HTTP request failed unexpectedly");
    sendFailure(request, response, told ?? error, "plain");
  };
}

/** null: a fault of the daemon. Express and its static files throw errors with a status for what the caller got wrong. */
function toldToCaller(error: unknown): Refusal | ContextdError | null {
  if (error instanceof Refusal || error instanceof ContextdError) return error;
  const status = (error as { status?: unknown } | null)?.status;
  if (status === 404) return notServed();
  return typeof status === "number" && status < 500
    ? new Refusal("bad_request", "The path is not properly encoded, or asks for what is not served.")
    : null;
}
