import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  exchange,
  parseAnswer,
  post,
  type Settings,
  sendRaw,
  startTestServer,
  type TestServer,
} from "../support/test-server.ts";

const open: TestServer[] = [];
async function start(settings: Settings = {}): Promise<TestServer> {
  const server = await startTestServer(settings);
  open.push(server);
  return server;
}
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.probe.gate.open();
    await server.close();
  }
});

const ECHO = { jsonrpc: "2.0", id: 1, method: "echo", params: { value: 1 } };
const JSON_TYPE = "Content-Type: application/json";
const HOST = "Host: localhost";

describe("POST /rpc", () => {
  it("answers a call with 200 and JSON", async () => {
    const { url } = await start();
    const response = await post(url, ECHO);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("content-length")).not.toBeNull();
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: { value: 1 } });
  });

  it("answers errors of a call and malformed messages with 200 and their codes", async () => {
    const { url } = await start();
    const codeOf = async (body: unknown) => {
      const response = await post(url, body);
      expect(response.status).toBe(200);
      return ((await response.json()) as { error: { code: number } }).error.code;
    };
    expect(await codeOf("{")).toBe(-32700);
    expect(await codeOf("")).toBe(-32700);
    expect(await codeOf([])).toBe(-32600);
    expect(await codeOf({ ...ECHO, method: "none" })).toBe(-32601);
    expect(await codeOf({ ...ECHO, params: { wrong: 1 } })).toBe(-32602);
    expect(await codeOf({ ...ECHO, method: "fail.unknown", params: {} })).toBe(-32603);
    expect(await codeOf({ ...ECHO, method: "fail.known", params: {} })).toBe(-32001);
  });

  it("answers notifications with 204 and no body", async () => {
    const { port } = await start();
    for (const body of ['{"jsonrpc":"2.0","method":"echo"}', '[{"jsonrpc":"2.0","method":"none"}]']) {
      const answer = await sendRaw(port, { method: "POST", path: "/rpc", headers: [HOST, JSON_TYPE], body });
      expect(answer.status).toBe(204);
      expect(answer.body).toBe("");
    }
  });

  it("gives a single call that cannot be served now its HTTP status and Retry-After, a batch 200", async () => {
    const { url } = await start();
    const failing = (reason: string) => ({ ...ECHO, method: "fail.known", params: { reason, retry_after_ms: 3200 } });
    for (const [reason, status] of [
      ["rate_limited", 429],
      ["overloaded", 503],
      ["storage_unavailable", 503],
      ["draining", 503],
    ] as const) {
      const response = await post(url, failing(reason));
      expect(response.status).toBe(status);
      expect(response.headers.get("retry-after")).toBe("4");
      expect(await response.json()).toMatchObject({ id: 1, error: { data: { reason, retryable: true } } });
    }
    expect((await post(url, [failing("overloaded")])).status).toBe(200);
  });

  it.each([["GET"], ["PUT"], ["DELETE"], ["OPTIONS"], ["HEAD"]])("refuses %s with 405", async (method) => {
    const { port } = await start();
    const answer = await sendRaw(port, { method, path: "/rpc" });
    expect(answer.status).toBe(405);
    expect(answer.headers["allow"]).toBe("POST");
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it.each([
    ["no content type", [], 415],
    ["a form", ["Content-Type: application/x-www-form-urlencoded"], 415],
    ["plain text, as a page may post it to another site", ["Content-Type: text/plain"], 415],
    ["a type that begins like JSON", ["Content-Type: application/jsonp"], 415],
    ["another charset", ["Content-Type: application/json; charset=utf-16"], 415],
    ["JSON", [JSON_TYPE], 200],
    ["JSON with a charset", ['Content-Type: Application/JSON; charset="UTF-8"'], 200],
    ["gzip", [JSON_TYPE, "Content-Encoding: gzip"], 415],
    ["deflate", [JSON_TYPE, "Content-Encoding: deflate"], 415],
    ["identity", [JSON_TYPE, "Content-Encoding: identity"], 200],
  ])("with %s answers %j", async (_name, headers, status) => {
    const { port } = await start();
    const answer = await sendRaw(port, {
      method: "POST",
      path: "/rpc",
      headers: [HOST, ...headers],
      body: JSON.stringify(ECHO),
    });
    expect(answer.status).toBe(status);
    if (status === 415) {
      expect(JSON.parse(answer.body)).toMatchObject({
        id: null,
        error: { code: -32600, data: { refusal: "unsupported_media_type" } },
      });
    }
  });

  it("refuses a body over the limit with 413, whether its length is declared or not", async () => {
    const { port, probe } = await start({ limits: { body_bytes: 1000 } });
    const body = `{"x":"${"y".repeat(2000)}"}`;
    const declared = await sendRaw(port, { method: "POST", path: "/rpc", headers: [HOST, JSON_TYPE], body });
    expect(declared.status).toBe(413);
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const head = `POST /rpc HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(parseAnswer(await exchange(port, head + chunk)).status).toBe(413);
    expect(probe.calls).toHaveLength(0);
  });

  it("lets the sender of a huge body see the 413", async () => {
    const { port } = await start({ limits: { body_bytes: 1000 } });
    const body = Buffer.alloc(12 << 20, 0x20);
    const answer = await sendRaw(port, { method: "POST", path: "/rpc", headers: [HOST, JSON_TYPE], body });
    expect(answer.status).toBe(413);
    expect(answer.headers["connection"]).toBe("close");
  });

  it("takes a body of exactly the limit", async () => {
    const body = JSON.stringify(ECHO);
    const { url } = await start({ limits: { body_bytes: body.length } });
    expect((await post(url, body)).status).toBe(200);
    expect((await post(url, `${body} `)).status).toBe(413);
  });

  it("takes the headers of a W3C trace and drops what is none", async () => {
    const { url, probe } = await start();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await post(url, ECHO, { traceparent });
    await post(url, ECHO, { traceparent: "canary" });
    await post(url, ECHO, { traceparent: `00-${"0".repeat(32)}-b7ad6b7169203331-01` });
    expect(probe.calls.map(({ context }) => context.traceparent)).toEqual([traceparent, null, null]);
  });

  it("tells a method when its caller has gone", async () => {
    const { port, probe } = await start();
    const socket = connect(port, "127.0.0.1");
    const body = '{"jsonrpc":"2.0","id":1,"method":"gate.pass"}';
    socket.write(`POST /rpc HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await probe.gate.reached(1);
    const { signal } = probe.calls[0]?.context ?? {};
    const aborted = new Promise((resolve) => signal?.addEventListener("abort", resolve));
    socket.destroy();
    await aborted;
    expect(signal?.aborted).toBe(true);
  });

  it("serves one request after the other on a connection, also pipelined", async () => {
    const { port } = await start();
    const one = (id: number, last: boolean) => {
      const body = JSON.stringify({ ...ECHO, id });
      return `POST /rpc HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\n${last ? "Connection: close\r\n" : ""}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    const text = await exchange(port, one(1, false) + one(2, false) + one(3, true));
    expect([...text.matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(["1", "2", "3"]);
  });
});

describe("bytes that are no proper request", () => {
  it.each([
    ["garbage", "hello\r\n\r\n", 400],
    ["no Host", "GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["an absolute target", `GET http://localhost/livez HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`, 400],
    ["an asterisk", `OPTIONS * HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`, 400],
    ["headers over 16 KiB", `GET /livez HTTP/1.1\r\n${HOST}\r\nX: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    ["both lengths", `POST /rpc HTTP/1.1\r\n${HOST}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
  ])("%s", async (_name, bytes, status) => {
    const { port } = await start();
    const answer = parseAnswer(await exchange(port, bytes));
    expect(answer.status).toBe(status);
    if (answer.body !== "") expect(JSON.parse(answer.body)).toHaveProperty("error.reason");
  });

  it("take no other upgrade than the WebSocket's", async () => {
    const { port } = await start();
    const h2c = ["Connection: Upgrade", "Upgrade: h2c"];
    const answer = await sendRaw(port, { path: "/ws", headers: [HOST, ...h2c] });
    expect([426, 404]).toContain(answer.status);
  });
});

describe("slow clients", () => {
  it("are let go when their headers take longer than the limit, silent ones too", async () => {
    const { port } = await start({ limits: { header_timeout_ms: 200, request_timeout_ms: 400 } });
    const begun = performance.now();
    const [slow, silent, body] = await Promise.all([
      exchange(port, "GET /livez HTTP/1.1\r\nHost: loc"),
      exchange(port, ""),
      exchange(port, `POST /rpc HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: 10\r\n\r\n{`),
    ]);
    expect(performance.now() - begun).toBeLessThan(3000);
    expect(parseAnswer(slow).status).toBe(408);
    expect([0, 408]).toContain(parseAnswer(silent).status);
    expect(parseAnswer(body).status).toBe(408);
  });

  it("make room for a new client when all connections are taken", async () => {
    const { port, url, stats } = await start({ limits: { connections: 20 } });
    const slow = Array.from({ length: 30 }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => socket.destroy());
      socket.write("POST /rpc HTTP/1.1\r\nHost: local");
      return socket;
    });
    await Promise.all(slow.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    for (let call = 0; call < 5; call++) {
      const response = await fetch(`${url}/livez`, { headers: { connection: "close" } });
      expect(response.status).toBe(200);
      await response.text();
    }
    expect(stats().connections).toBeLessThanOrEqual(20);
    expect(stats().connectionsShed).toBeGreaterThanOrEqual(10);
    for (const socket of slow) socket.destroy();
  });

  it("do not take the place of connections whose call is in hand", async () => {
    const { port, url, probe } = await start({ limits: { connections: 2 } });
    const calls = [1, 2].map((id) => post(url, { jsonrpc: "2.0", id, method: "gate.pass" }));
    await probe.gate.reached(2);
    const turnedAway = parseAnswer(await exchange(port, `GET /livez HTTP/1.1\r\n${HOST}\r\n\r\n`));
    expect(turnedAway.status).toBe(503);
    expect(turnedAway.headers["retry-after"]).toBe("1");
    probe.gate.open();
    for (const call of calls) expect((await call).status).toBe(200);
  });

  it("cannot fill the memory with bodies that never end", async () => {
    const { port, url } = await start({ limits: { body_bytes: 1000 } });
    const part = "y".repeat(900);
    const heads = Array.from({ length: 30 }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.write(`POST /rpc HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: 1000\r\n\r\n${part}`);
      return socket;
    });
    const firstAnswer = await Promise.race(
      heads.map((socket) => new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))))),
    );
    expect(parseAnswer(firstAnswer).status).toBe(503);
    for (const socket of heads) socket.destroy();
    await new Promise<void>((resolve) => {
      const again = async () => ((await post(url, ECHO)).status === 200 ? resolve() : setImmediate(again));
      void again();
    });
  });
});

describe("load", () => {
  it("over the calls in flight is shed with 503 and Retry-After before the body is read", async () => {
    const { url, port, probe } = await start({ limits: { hooks_in_flight: 2 } });
    const calls = [1, 2].map((id) => post(url, { jsonrpc: "2.0", id, method: "gate.pass" }));
    await probe.gate.reached(2);
    const shed = await post(url, ECHO);
    expect(shed.status).toBe(503);
    expect(shed.headers.get("retry-after")).toBe("1");
    expect(await shed.json()).toMatchObject({ error: { code: -32006, data: { reason: "overloaded" } } });
    const unread = await new Promise<number | undefined>((resolve) => {
      const request = httpRequest({
        port,
        path: "/rpc",
        method: "POST",
        headers: { "content-type": "application/json" },
      });
      request.setHeader("content-length", 1_000_000);
      request.on("response", (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on("error", () => undefined);
      request.flushHeaders();
    });
    expect(unread).toBe(503);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    probe.gate.open();
    for (const call of calls) expect((await call).status).toBe(200);
    expect((await post(url, ECHO)).status).toBe(200);
  });

  it("of one tenant leaves room for another", async () => {
    const secrets = ["a", "b"].map((letter) => `${letter}bcdefgh-0123456789-zyxwvuts`);
    const tokens = secrets.map((token, n) => ({ name: `n${n}`, tenant: `t${n}`, scopes: ["agent"], token }));
    const { url, probe } = await start({ tokens, perTenant: 1 });
    const [noisy, quiet] = secrets.map((token) => ({ authorization: `Bearer ${token}` }));
    const first = post(url, { jsonrpc: "2.0", id: 1, method: "gate.pass" }, noisy);
    await probe.gate.reached(1);
    const refused = await post(url, ECHO, noisy);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ error: { code: -32005 } });
    expect((await post(url, ECHO, quiet)).status).toBe(200);
    probe.gate.open();
    expect((await first).status).toBe(200);
  });
});
