import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { exchange, parseAnswer, post, startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
afterEach(async () => {
  server.probe.gate.open();
  await server.close();
});

const GATE = { jsonrpc: "2.0", id: 1, method: "gate.pass" };

function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  return new Promise((resolve, reject) => socket.once("open", () => resolve(socket)).once("error", reject));
}

describe("a drain", () => {
  it("lets calls in flight finish and takes no new ones", async () => {
    server = await startTestServer({ drain_timeout_ms: 5000 });
    const { url, port, probe } = server;
    const idle = connect(port, "127.0.0.1");
    const kept = connect(port, "127.0.0.1");
    const inFlight = post(url, GATE);
    await probe.gate.reached(1);
    // A connection in the middle of a request gets its answer, and that is: draining.
    const body = '{"jsonrpc":"2.0","id":1,"method":"echo"}';
    await new Promise<void>((resolve) => kept.write("POST /rpc HTTP/1.1\r\nHost: localhost\r\n", () => resolve()));
    await fetch(`${url}/livez`);
    const closing = server.close();
    expect(server.close()).toBe(closing);
    await new Promise((resolve) => idle.once("close", resolve).resume());
    const answer = new Promise<string>((resolve) => kept.once("data", (data) => resolve(String(data))));
    kept.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const draining = parseAnswer(await answer);
    expect(draining.status).toBe(503);
    expect(draining.headers["connection"]).toBe("close");
    expect(JSON.parse(draining.body)).toMatchObject({ error: { code: -32014, data: { reason: "draining" } } });
    await expect(exchange(port, "")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    probe.gate.open();
    const done = await inFlight;
    expect(done.status).toBe(200);
    expect(await done.json()).toMatchObject({ result: "passed" });
    await closing;
    expect(server.stats().connections).toBe(0);
  });

  it("answers the calls of a WebSocket before it closes it with 1001", async () => {
    server = await startTestServer({ drain_timeout_ms: 5000 });
    const [busy, quiet] = await Promise.all([opened(server.url), opened(server.url)]);
    const heard: string[] = [];
    busy.on("message", (data) => heard.push(String(data)));
    const codes = [busy, quiet].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    busy.send(JSON.stringify(GATE));
    await server.probe.gate.reached(1);
    const closing = server.close();
    expect(await codes[1]).toBe(1001);
    expect(busy.readyState).toBe(WebSocket.OPEN);
    server.probe.gate.open();
    expect(await codes[0]).toBe(1001);
    expect(heard).toHaveLength(1);
    await closing;
    expect(server.stats().webSockets).toBe(0);
  });

  it("cuts off what is left when its time is over", async () => {
    server = await startTestServer({ drain_timeout_ms: 100 });
    const socket = await opened(server.url);
    socket.send(JSON.stringify(GATE));
    const stuck = post(server.url, GATE);
    await server.probe.gate.reached(2);
    const code = new Promise((resolve) => socket.once("close", resolve));
    const outcome = stuck.then(
      () => "answered",
      () => "cut off",
    );
    const begun = performance.now();
    await server.close();
    expect(performance.now() - begun).toBeLessThan(3000);
    expect(await outcome).toBe("cut off");
    expect(await code).toBe(1006);
    expect(server.log.lines.some(({ message }) => message.includes("the time to drain is over"))).toBe(true);
  });

  it("does not wait for clients that are silent, half way through a request, or deaf", async () => {
    server = await startTestServer({ drain_timeout_ms: 300 });
    const sockets = Array.from({ length: 3 }, () => connect(server.port, "127.0.0.1"));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    sockets[0]?.write("POST /rpc HT");
    const deaf = await opened(server.url);
    deaf.pause();
    const begun = performance.now();
    await server.close();
    expect(performance.now() - begun).toBeLessThan(3000);
    deaf.terminate();
    for (const socket of sockets) socket.destroy();
  });

  it("turns readiness off and leaves liveness on", async () => {
    server = await startTestServer({ drain_timeout_ms: 5000 });
    const { port, url, probe } = server;
    const stuck = post(url, GATE);
    await probe.gate.reached(1);
    const asked = ["/readyz", "/livez"].map((path) => {
      const socket = connect(port, "127.0.0.1");
      return new Promise<{ socket: typeof socket; path: string }>((resolve) =>
        socket.write(`GET ${path} HTTP/1.1\r\n`, () => resolve({ socket, path })),
      );
    });
    const begun = await Promise.all(asked);
    await fetch(`${url}/livez`);
    const closing = server.close();
    const answers = begun.map(({ socket }) => {
      const data = new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(String(bytes))));
      socket.write("Host: localhost\r\n\r\n");
      return data;
    });
    expect(parseAnswer((await answers[0]) ?? "")).toMatchObject({
      status: 503,
      body: expect.stringContaining("draining"),
    });
    expect(parseAnswer((await answers[1]) ?? "").status).toBe(200);
    probe.gate.open();
    await stuck;
    await closing;
  });
});
