import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/model/clock.ts";
import type { Scope } from "../../src/rpc/scope.ts";
import { alertRoutes } from "../../src/server/alert-routes.ts";
import { AlertInbox } from "../../src/telemetry/alert-inbox/alert-inbox.ts";
import { sendRaw, startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
afterEach(() => server.close());

const secretOf = (name: string) => `${name}-TOKEN-0123456789abcdefgh`;

async function start(withTokens: boolean): Promise<void> {
  const entry = (name: string, tenant: string, scope: Scope) => ({
    name,
    tenant,
    scopes: [scope],
    token: secretOf(name),
  });
  const tokens = [
    entry("agent", "t1", "agent"),
    entry("operator", "t1", "operator"),
    entry("monitoring", "t1", "metrics"),
    entry("stranger", "t2", "operator"),
    entry("admin", "t1", "admin"),
  ];
  const routes = alertRoutes(new AlertInbox(3, { clock: systemClock }));
  server = await startTestServer({ routes, ...(withTokens && { tokens }) });
}

const alert = (session: string, tenant = "t1", status = "firing") => ({
  status,
  labels: { alertname: "ContextOverflow", severity: "critical", session, tenant },
  annotations: { summary: `Overflow in ${session}`, runbook_url: "docs/runbooks/ContextOverflow.md" },
  startsAt: "2026-03-01T12:00:00.123456789Z",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "",
  fingerprint: "d3b07384d113edec",
});

const notification = (...alerts: unknown[]) => ({
  version: "4",
  groupKey: "{}:{}",
  truncatedAlerts: 0,
  status: "firing",
  receiver: "contextd",
  groupLabels: {},
  commonLabels: {},
  commonAnnotations: {},
  externalURL: "http://localhost:9093",
  alerts,
});

function send(method: string, holder: string | null, body?: unknown, type = "application/json") {
  const headers = ["Host: localhost", `Content-Type: ${type}`];
  if (holder !== null) headers.push(`Authorization: Bearer ${secretOf(holder)}`);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return sendRaw(server.port, { method, path: "/alerts/sink", headers, ...(body !== undefined && { body: text }) });
}

async function sessions(holder: string | null): Promise<string[]> {
  const { alerts } = JSON.parse((await send("GET", holder)).body) as { alerts: { labels: { session: string } }[] };
  return alerts.map(({ labels }) => labels.session);
}

describe("/alerts/sink", () => {
  it("keeps the last alerts that Alertmanager sent, the newest first", async () => {
    await start(false);
    expect((await send("POST", null, notification(alert("a"), alert("b")))).status).toBe(204);
    expect((await send("POST", null, notification(alert("c"), alert("d", "t1", "resolved")))).status).toBe(204);
    expect(await sessions(null)).toEqual(["d", "c", "b"]);
    const { received, alerts } = JSON.parse((await send("GET", null)).body);
    expect(received).toBe(4);
    expect(alerts[1]).toMatchObject({
      status: "firing",
      receiver: "contextd",
      fingerprint: "d3b07384d113edec",
      starts_at: "2026-03-01T12:00:00.123456789Z",
      ends_at: null,
      annotations: { runbook_url: "docs/runbooks/ContextOverflow.md" },
    });
  });

  it("takes notifications of the monitoring's token alone, and shows each tenant its own", async () => {
    await start(true);
    for (const holder of [null, "agent", "operator", "stranger"]) {
      expect((await send("POST", holder, notification(alert("a")))).status).toBe(401);
    }
    expect((await send("POST", "monitoring", notification(alert("a"), alert("x", "t2")))).status).toBe(204);
    for (const holder of [null, "agent", "monitoring"]) expect((await send("GET", holder)).status).toBe(401);
    expect(await sessions("operator")).toEqual(["a"]);
    expect(await sessions("stranger")).toEqual(["x"]);
    expect(await sessions("admin")).toEqual(["x", "a"]);
  });

  it.each([
    ["no JSON", "{", "application/json"],
    ["another version", { ...notification(), version: "3" }, "application/json"],
    ["alerts that are none", notification({ CANARY: "CANARY" }), "application/json"],
    ["labels that are no text", notification({ ...alert("a"), labels: { CANARY: {} } }), "application/json"],
    ["a form of a page", "alerts=CANARY", "application/x-www-form-urlencoded"],
  ])("refuses %s, and names nothing of it", async (_what, body, type) => {
    await start(false);
    const answer = await send("POST", null, body, type);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body).not.toContain("CANARY");
    expect(await sessions(null)).toEqual([]);
  });

  it("cuts what is too long instead of losing the alert", async () => {
    await start(false);
    const long = alert("a");
    const labels = { ...long.labels, ...Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`l${n}`, "v"])) };
    await send("POST", null, notification({ ...long, labels, annotations: { summary: "x".repeat(100_000) } }));
    const body = (await send("GET", null)).body;
    expect(body.length).toBeLessThan(3_000);
    expect(JSON.parse(body).alerts[0].labels.session).toBe("a");
  });
});
