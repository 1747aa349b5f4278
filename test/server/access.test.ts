import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rpcDiscover } from "../../src/rpc/methods/rpc-discover.ts";
import type { Access, Scope } from "../../src/rpc/scope.ts";
import { alertRoutes } from "../../src/server/alert-routes.ts";
import { documentRoute, healthRoutes, metricsRoute } from "../../src/server/routes.ts";
import { methodProbe, testMethods } from "../support/rpc-methods.ts";
import { sendRaw, startTestServer, type TestServer } from "../support/test-server.ts";

type Holder = "none" | "bad" | Scope | "other tenant";
const HOLDERS: readonly Holder[] = ["none", "bad", "agent", "operator", "metrics", "admin", "other tenant"];
/** Who may use what, written out: a method or route with another kind of access has no row, and fails. */
const ALLOWED: Readonly<Record<string, readonly Holder[]>> = {
  open: HOLDERS,
  "agent reads": ["agent", "operator", "admin", "other tenant"],
  "agent changes": ["agent", "admin", "other tenant"],
  "agent changes, or operator": ["agent", "operator", "admin", "other tenant"],
  "operator reads": ["operator", "admin"],
  "operator changes": ["operator", "admin"],
  "admin changes": ["admin"],
  "metrics reads": ["metrics", "admin"],
  "metrics changes": ["metrics", "admin"],
};

const secretOf = (holder: string) => `${holder.replace(" ", "-")}-TOKEN-0123456789abcdefgh`;
const rowOf = (access: Access | "open"): readonly Holder[] => {
  if (access === "open") return ALLOWED["open"] as readonly Holder[];
  const also = access.sharedWith ? `, or ${access.sharedWith.join(", ")}` : "";
  const row = ALLOWED[`${access.scope} ${access.mutates ? "changes" : "reads"}${also}`];
  if (!row) throw new Error(`no row for ${JSON.stringify(access)}: say who may use it`);
  return row;
};

const inbox = alertRoutes({ received: 0, receive: () => undefined, list: () => [] });
const asyncApi = documentRoute("/asyncapi.json", "", () => ({}));

let server: TestServer;
beforeAll(async () => {
  const entry = (name: string, tenant: string, scope: Scope) => ({
    name: name.replace(" ", "-"),
    tenant,
    scopes: [scope],
    token: secretOf(name),
  });
  server = await startTestServer({
    routes: [...inbox, asyncApi],
    tokens: [
      ...(["agent", "operator", "metrics", "admin"] as const).map((scope) => entry(scope, "t1", scope)),
      entry("other tenant", "t2", "agent"),
    ],
  });
});
afterAll(async () => {
  server.probe.gate.open();
  await server.close();
});

const headersOf = (holder: Holder): string[] =>
  holder === "none" ? ["Host: localhost"] : ["Host: localhost", `Authorization: Bearer ${secretOf(holder)}`];

const registry = testMethods(methodProbe());
const methods = [...registry, rpcDiscover(() => registry, { title: "", version: "", description: "" })];
const routes = [
  ...healthRoutes({ ready: () => ({ ready: true, reasons: [] }), health: async () => ({}) }),
  documentRoute("/openrpc.json", "", () => ({})),
  asyncApi,
  metricsRoute(async () => ({ contentType: "text/plain", body: "" })),
  ...inbox,
];

describe.each(HOLDERS)("with the token %s", (holder) => {
  it.each(methods.map((method) => [method.name, method] as const))("the method %s", async (name, method) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: { refused: true } });
    const headers = [...headersOf(holder), "Content-Type: application/json"];
    const answer = await sendRaw(server.port, { method: "POST", path: "/rpc", headers, body });
    // Parameters that fit no method: the call is let in exactly when they are what is wrong.
    if (rowOf(method).includes(holder)) {
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body).error.code).toBe(-32602);
    } else {
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
      expect(JSON.parse(answer.body).error).toMatchObject({ code: -32004, data: { reason: "unauthorized" } });
    }
    expect(answer.body).not.toContain("TOKEN");
  });

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "the route %s",
    async (_name, route) => {
      const { method, path } = route;
      const headers = [...headersOf(holder), "Content-Type: application/json"];
      const answer = await sendRaw(server.port, { method, path, headers });
      const success = method === "GET" ? 200 : 204;
      expect(answer.status).toBe(rowOf(route.access).includes(holder) ? success : 401);
    },
  );
});

describe("the tenant of a call", () => {
  it("is the token's, whatever its body says", async () => {
    const call = (holder: Holder) =>
      sendRaw(server.port, {
        method: "POST",
        path: "/rpc",
        headers: [...headersOf(holder), "Content-Type: application/json", "X-Tenant: t1"],
        body: '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"value":{"tenant":"t1"}},"tenant":"t1"}',
      });
    server.probe.calls.length = 0;
    await call("agent");
    await call("other tenant");
    expect(server.probe.calls.map(({ context }) => context.principal.tenant)).toEqual(["t1", "t2"]);
  });
});

describe("what a request carries", () => {
  it("is in no answer and no log line, whatever is wrong with it", async () => {
    const canary = "CANARYcanary0123456789";
    const json = "Content-Type: application/json";
    const as = (...headers: string[]) => ["Host: localhost", ...headers];
    const agent = `Authorization: Bearer ${secretOf("agent")}`;
    const rpc = (headers: string[], body: string) => ({ method: "POST", path: "/rpc", headers, body });
    const call = (method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const requests = [
      rpc(as(json, `Authorization: Bearer ${canary}`), "{}"),
      rpc(as(json, `Authorization: ${canary}`), "{}"),
      rpc(as(json, agent), `{"prompt": "${canary}`),
      rpc(as(json, agent), `${canary}`),
      rpc(as(json, agent), call("session.write", { session_id: { text: canary } })),
      rpc(as(json, agent), call("session.write", { session_id: "s", policy: canary, turn: canary, window: canary })),
      rpc(as(json, agent), call("session.write", { session_id: canary.repeat(9) })),
      rpc(as(json, agent), call("session.write", { session_id: "s", source: { kind: canary } })),
      rpc(as(json, agent), call("session.write", { session_id: "s", [`${canary} ${canary}`]: 1 })),
      rpc(as(json, agent), call(`${canary} ${canary}`, {})),
      rpc(as(json, agent), call("fail.unknown", { text: canary })),
      rpc(as(json, agent), call("echo", canary)),
      rpc(as(json, agent), JSON.stringify({ jsonrpc: canary, method: canary, id: [canary] })),
      rpc(as(`Content-Type: ${canary}`, agent), canary),
      rpc(as(json, `Content-Encoding: ${canary}`, agent), canary),
      rpc(as(json, `Origin: http://${canary}`, agent), canary),
      rpc([`Host: ${canary}`, json, agent], canary),
      { path: `/${canary}?${canary}=${canary}` },
      { path: `/metrics?token=${canary}` },
      { path: `/%zz${canary}` },
      { method: canary, path: "/livez" },
    ];
    for (const request of requests) {
      const answer = await sendRaw(server.port, request);
      expect(answer.status).toBeGreaterThan(0);
      expect(answer.body, JSON.stringify(request)).not.toContain(canary);
      expect(JSON.stringify(answer.headers)).not.toContain(canary);
    }
    expect(server.log.text).not.toContain(canary);
  });
});
