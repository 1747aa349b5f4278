import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { backoffMs } from "../../src/client/backoff.ts";
import { ContextdClient, idempotencyKey, NoAnswerError, RpcError } from "../../src/client/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: { id: number; method: string; params: JsonObject };
}
/** What the daemon does with a call: answers it, or cuts the connection after it has read it. */
type Act = "cut" | { status?: number; headers?: Record<string, string>; text?: string; answer?: JsonObject };

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A daemon that acts out a script, then answers `{ok: true}`. */
async function daemon(script: Act[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += String(chunk);
    });
    request.on("end", () => {
      const body = JSON.parse(text);
      received.push({ headers: request.headers, body });
      const act: Act = script.shift() ?? { answer: { result: { ok: true } } };
      if (act === "cut") {
        request.socket.destroy();
        return;
      }
      response.writeHead(act.status ?? 200, { "content-type": "application/json", ...act.headers });
      response.end(act.text ?? JSON.stringify({ jsonrpc: "2.0", id: body.id, ...act.answer }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

function failure(code: number, reason: string, retryable: boolean, headers: Record<string, string> = {}): Act {
  const error: JsonObject = { code, message: "No.", data: { reason, retryable } as { [key: string]: Json } };
  return { headers, answer: { error } };
}

const FAST = { backoff: { firstMs: 1, longestMs: 2 } };

describe("a call", () => {
  it("is a JSON-RPC request with the token as bearer, and gives the result", async () => {
    const { url, received } = await daemon([{ answer: { result: { sessions: [] } } }]);
    const client = new ContextdClient({ url: `${url}/`, token: "t0ken" });
    expect(await client.call("session.list", { limit: 3 })).toEqual({ sessions: [] });
    expect(received[0]?.headers.authorization).toBe("Bearer t0ken");
    expect(received[0]?.body).toMatchObject({ jsonrpc: "2.0", method: "session.list", params: { limit: 3 } });
  });

  it("throws the daemon's error with its reason, at once where a retry is of no use", async () => {
    const { url, received } = await daemon([failure(-32001, "session_not_found", false)]);
    const call = new ContextdClient({ url, ...FAST }).call("session.get", { session_id: "x", idempotency_key: "k" });
    await expect(call).rejects.toMatchObject({
      name: "RpcError",
      code: -32001,
      reason: "session_not_found",
      retryable: false,
    });
    expect(received).toHaveLength(1);
  });

  it("is retried on a retryable error until it succeeds", async () => {
    const { url, received } = await daemon([
      failure(-32006, "overloaded", true),
      failure(-32007, "storage_unavailable", true),
    ]);
    expect(await new ContextdClient({ url, ...FAST }).call("on_turn_start", {})).toEqual({ ok: true });
    expect(received).toHaveLength(3);
  });

  it("waits as long as Retry-After says", async () => {
    const { url } = await daemon([failure(-32005, "rate_limited", true, { "retry-after": "0.2" })]);
    const begun = performance.now();
    await new ContextdClient({ url, ...FAST }).call("status.report");
    expect(performance.now() - begun).toBeGreaterThan(190);
  });

  it("gives up after its attempts, with the daemon's last word", async () => {
    const { url, received } = await daemon(Array.from({ length: 9 }, () => failure(-32006, "overloaded", true)));
    await expect(new ContextdClient({ url, attempts: 3, ...FAST }).call("status.report")).rejects.toBeInstanceOf(
      RpcError,
    );
    expect(received).toHaveLength(3);
  });

  it("gives up at its deadline rather than wait past it", async () => {
    const { url } = await daemon([failure(-32005, "rate_limited", true, { "retry-after": "60" })]);
    const call = new ContextdClient({ url, deadlineMs: 100 }).call("status.report");
    await expect(call).rejects.toMatchObject({ reason: "rate_limited" });
  });

  it("that may have happened is not repeated without a key", async () => {
    const { url, received } = await daemon(["cut"]);
    await expect(new ContextdClient({ url, ...FAST }).call("on_turn_end", {})).rejects.toBeInstanceOf(NoAnswerError);
    expect(received).toHaveLength(1);
  });

  it("that changes something is repeated with the same key when no answer came", async () => {
    const { url, received } = await daemon(["cut", "cut"]);
    expect(await new ContextdClient({ url, ...FAST }).mutate("on_turn_end", { session_id: "s1" })).toEqual({
      ok: true,
    });
    const keys = received.map(({ body }) => body.params["idempotency_key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("that only reads is repeated when no answer came", async () => {
    const { url, received } = await daemon(["cut"]);
    expect(await new ContextdClient({ url, ...FAST }).call("session.list", {}, { readOnly: true })).toEqual({
      ok: true,
    });
    expect(received).toHaveLength(2);
  });

  it("is not repeated after an internal error, which may have come after the effect, unless that is safe", async () => {
    const { url, received } = await daemon([failure(-32603, "internal_error", true)]);
    await expect(new ContextdClient({ url, ...FAST }).call("on_turn_end", {})).rejects.toMatchObject({ code: -32603 });
    expect(received).toHaveLength(1);
  });

  it("says so when something that is no daemon answers", async () => {
    const { url } = await daemon([{ status: 502, text: "<html>bad gateway</html>" }]);
    const call = new ContextdClient({ url, ...FAST }).call("status.report");
    await expect(call).rejects.toThrow("status.report: no answer from the daemon: HTTP 502, not a JSON-RPC answer");
  });

  it("names the cause when nothing listens", async () => {
    const call = new ContextdClient({ url: "http://127.0.0.1:1", ...FAST }).call("status.report");
    await expect(call).rejects.toThrow(/ECONNREFUSED|bad port/);
  });
});

describe("the back-off", () => {
  it("doubles up to its longest and is spread over a half of it", () => {
    const waits = (random: number) =>
      [1, 2, 3, 4, 50].map((n) => backoffMs({ firstMs: 100, longestMs: 600 }, n, () => random));
    expect(waits(1)).toEqual([100, 200, 400, 600, 600]);
    expect(waits(0)).toEqual([50, 100, 200, 300, 300]);
  });
});

it("every idempotency key is another one", () => {
  expect(new Set(Array.from({ length: 100 }, idempotencyKey)).size).toBe(100);
});
