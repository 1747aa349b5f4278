import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../model/json.ts";
import type { Access, Principal } from "../rpc/scope.ts";

export interface RouteRequest {
  /** null on an open route. */
  readonly principal: Principal | null;
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  /** The whole body, within the limit for bodies. */
  body(): Promise<Buffer>;
}

export interface RouteReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One HTTP route besides /rpc and the WebSockets: the source of the server's table and of its documentation. */
export interface HttpRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly summary: string;
  /** "open": answered without a token, even where tokens are asked for. */
  readonly access: Access | "open";
  /** Throws Refusal or ContextdError for what the caller is to be told. */
  answer(request: RouteRequest): RouteReply | Promise<RouteReply>;
}

export interface Readiness {
  readonly ready: boolean;
  /** Why not: short phrases, no values of anybody's. */
  readonly reasons: readonly string[];
}

/** The three questions of health. Probes carry no token, so the first two are open and say little. */
export function healthRoutes(sources: { ready(): Readiness; health(): Promise<JsonObject> }): HttpRoute[] {
  return [
    {
      method: "GET",
      path: "/livez",
      summary: "200 while the event loop turns.",
      access: "open",
      answer: () => ({ status: 200, contentType: "text/plain; charset=utf-8", body: "ok\n" }),
    },
    {
      method: "GET",
      path: "/readyz",
      summary: "200 when hooks can be served; 503 with the reasons while starting, draining, or while the store fails.",
      access: "open",
      answer: () => {
        const { ready, reasons } = sources.ready();
        const headers: Record<string, string> = ready ? {} : { "Retry-After": "1" };
        return { ...json({ ready, reasons: [...reasons] }), status: ready ? 200 : 503, headers };
      },
    },
    {
      method: "GET",
      path: "/healthz",
      summary: "The state of each part in JSON, without secrets.",
      access: { scope: "agent", mutates: false },
      answer: async () => {
        const { ready, reasons } = sources.ready();
        return { ...json({ ready, reasons: [...reasons], ...(await sources.health()) }), status: ready ? 200 : 503 };
      },
    },
  ];
}

/** A route that answers one JSON document. */
export function documentRoute(path: string, summary: string, document: () => JsonObject): HttpRoute {
  return { method: "GET", path, summary, access: { scope: "agent", mutates: false }, answer: () => json(document()) };
}

/** `/metrics`, for the scope of that name: its figures are of all tenants. */
export function metricsRoute(
  render: (accept: string | undefined) => Promise<{ readonly contentType: string; readonly body: string }>,
): HttpRoute {
  return {
    method: "GET",
    path: "/metrics",
    summary: "The figures for Prometheus.",
    access: { scope: "metrics", mutates: false },
    answer: async ({ headers }) => ({ status: 200, ...(await render(headers.accept)) }),
  };
}

function json(body: JsonObject): RouteReply {
  return { status: 200, contentType: "application/json", body: JSON.stringify(body) };
}
