import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { Refusal } from "../../src/server/refusals.ts";
import { readTokenEntries } from "../../src/server/tokens.ts";
import { SocketHub } from "../../src/server/upgrades.ts";
import { post, type Settings, startTestServer, type TestServer } from "../support/test-server.ts";

/** Messages of one connection that are in hand at a time. */
const IN_FLIGHT = 32;

const servers: TestServer[] = [];
const sockets: WebSocket[] = [];
async function start(settings: Settings = {}): Promise<TestServer> {
  const server = await startTestServer({ drain_timeout_ms: 300, ...settings });
  servers.push(server);
  return server;
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  for (const server of servers.splice(0)) {
    server.probe.gate.open();
    await server.close();
  }
});

/** A client with its replies in order of arrival. */
class Client {
  readonly socket: WebSocket;
  readonly replies: string[] = [];
  readonly closed: Promise<number>;
  #waiting: { count: number; resolve: () => void }[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("message", (data) => {
      this.replies.push(String(data));
      this.#waiting = this.#waiting.filter(({ count, resolve }) => this.replies.length < count || resolve());
    });
  }

  send(message: unknown): void {
    this.socket.send(message instanceof Uint8Array || typeof message === "string" ? message : JSON.stringify(message));
  }

  async reply(count = 1): Promise<Record<string, unknown>[]> {
    if (this.replies.length < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
    return this.replies.map((text) => JSON.parse(text));
  }
}

async function open(
  server: TestServer,
  protocols: string[] = [],
  headers: Record<string, string> = {},
): Promise<Client> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`, protocols, { headers });
  sockets.push(socket);
  socket.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("unexpected-response", (_request, response) => reject(new Error(String(response.statusCode))));
  });
  return new Client(socket);
}

const echo = (id: unknown, value: unknown = 1) => ({ jsonrpc: "2.0", id, method: "echo", params: { value } });

describe("/ws", () => {
  it("answers calls, batches and mistakes as /rpc does", async () => {
    const server = await start();
    const client = await open(server);
    const messages = [
      echo(1, "ü"),
      [echo(1), echo(2), { jsonrpc: "2.0", method: "echo" }, 5],
      "{",
      [],
      { ...echo(3), method: "none" },
      { ...echo(4), params: { wrong: 1 } },
      Buffer.from([0x22, 0xff, 0x22]),
    ];
    for (const [position, message] of messages.entries()) {
      client.send(message);
      const overSocket = (await client.reply(position + 1)).at(-1);
      expect(overSocket).toEqual(await (await post(server.url, message)).json());
    }
  });

  it("takes text and binary messages, and answers in text", async () => {
    const client = await open(await start());
    client.socket.send(JSON.stringify(echo(1)), { binary: true });
    client.socket.once("message", (_data, isBinary) => expect(isBinary).toBe(false));
    expect(await client.reply()).toMatchObject([{ id: 1 }]);
  });

  it("does not break a connection over text that is not UTF-8", async () => {
    const client = await open(await start());
    client.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    client.send(echo(2));
    expect(await client.reply(2)).toMatchObject([{ error: { code: -32700 } }, { id: 2 }]);
  });

  it("sends nothing for notifications", async () => {
    const client = await open(await start());
    client.send({ jsonrpc: "2.0", method: "fail.unknown" });
    client.send([{ jsonrpc: "2.0", method: "echo" }]);
    client.send(echo(9));
    await client.reply();
    client.send(echo(10));
    expect((await client.reply(2)).map(({ id }) => id)).toEqual([9, 10]);
  });

  it("answers calls as they finish", async () => {
    const server = await start();
    const client = await open(server);
    client.send({ jsonrpc: "2.0", id: 1, method: "gate.pass" });
    client.send(echo(2));
    expect((await client.reply()).map(({ id }) => id)).toEqual([2]);
    server.probe.gate.open();
    expect((await client.reply(2)).map(({ id }) => id)).toEqual([2, 1]);
  });

  it("has 32 messages of a connection in hand and makes the sender wait with the rest", async () => {
    const server = await start();
    const client = await open(server);
    for (let id = 0; id < 200; id++) client.send({ jsonrpc: "2.0", id, method: "gate.pass" });
    await server.probe.gate.reached(IN_FLIGHT);
    const other = await open(server);
    other.send(echo(1));
    await other.reply();
    expect(server.probe.gate.entered).toBe(IN_FLIGHT);
    for (let entered = IN_FLIGHT; entered < 200; entered = server.probe.gate.entered) {
      server.probe.gate.open();
      await server.probe.gate.reached(Math.min(200, entered + 1));
    }
    server.probe.gate.open();
    expect((await client.reply(200)).length).toBe(200);
  });

  it("stops taking calls of a client that does not read its replies, and goes on when it does", async () => {
    const server = await start({ limits: { subscriber_buffer_bytes: 100_000 } });
    const client = await open(server);
    const other = await open(server);
    const roundTrips = async (count: number): Promise<void> => {
      for (let trip = 0; trip < count; trip++) {
        other.send(echo(trip));
        await other.reply(other.replies.length + 1);
      }
    };
    const taken = () => server.probe.calls.filter(({ method }) => method === "text.of").length;
    const count = 100;
    client.socket.pause();
    for (let id = 0; id < count; id++) {
      client.send({ jsonrpc: "2.0", id, method: "text.of", params: { characters: 500_000 } });
    }
    while (taken() === 0) await roundTrips(1);
    await roundTrips(50);
    expect(taken()).toBeLessThan(count);
    client.socket.resume();
    expect((await client.reply(count)).map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, id) => id));
  });

  it("closes with 1009 on a message over the limit", async () => {
    const client = await open(await start({ limits: { body_bytes: 1000 } }));
    client.send("x".repeat(1001));
    expect(await client.closed).toBe(1009);
  });

  it("never compresses, so that there are no deflate bombs", async () => {
    const server = await start();
    const response = await new Promise<Record<string, unknown>>((resolve, reject) => {
      httpRequest({
        port: server.port,
        path: "/ws",
        headers: {
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
          "sec-websocket-extensions": "permessage-deflate; client_max_window_bits",
        },
      })
        .on("upgrade", (answer, socket) => {
          socket.destroy();
          resolve(answer.headers);
        })
        .on("error", reject)
        .end();
    });
    expect(response["sec-websocket-extensions"]).toBeUndefined();
  });

  it("tells the methods of a connection that it has gone", async () => {
    const server = await start();
    const client = await open(server);
    client.send({ jsonrpc: "2.0", id: 1, method: "gate.pass" });
    await server.probe.gate.reached(1);
    const signal = server.probe.calls[0]?.context.signal as AbortSignal;
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    client.socket.terminate();
    await aborted;
  });
});

describe("a WebSocket's handshake", () => {
  const secret = "s3cretSECRETs3cret-0123456789xyz";
  const tokens = [
    { name: "a", tenant: "t", scopes: ["agent"], token: secret },
    { name: "m", tenant: "t", scopes: ["metrics"], token: `${secret}m` },
  ];

  it("needs a token where tokens are asked for, in the header or as a subprotocol that is not echoed", async () => {
    const server = await start({ tokens });
    await expect(open(server)).rejects.toThrow("401");
    await expect(open(server, ["contextd.v1", "contextd.bearer.wrong"])).rejects.toThrow("401");
    await expect(open(server, [], { authorization: `Bearer ${secret}m` })).rejects.toThrow("401");
    const byHeader = await open(server, [], { authorization: `Bearer ${secret}` });
    byHeader.send(echo(1));
    expect(await byHeader.reply()).toMatchObject([{ id: 1 }]);
    const byProtocol = await open(server, ["contextd.v1", `contextd.bearer.${secret}`]);
    expect(byProtocol.socket.protocol).toBe("contextd.v1");
  });

  it("refuses a token in the query string, and says where it belongs", async () => {
    const server = await start({ tokens });
    for (const name of ["token", "access_token", "ACCESS_TOKEN", "api_key"]) {
      const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws?${name}=${secret}`);
      socket.on("error", () => undefined);
      const body = await new Promise<string>((resolve) =>
        socket.once("unexpected-response", (_request, response) => {
          expect(response.statusCode).toBe(400);
          response.on("data", (data) => resolve(String(data)));
        }),
      );
      expect(JSON.parse(body).error.reason).toBe("token_in_query");
      expect(body).not.toContain(secret);
    }
  });

  it.each(["/", "/rpc", "/wss", "/ws/", "/events"])("at %s is answered with 404", async (path) => {
    const server = await start();
    const socket = new WebSocket(`${server.url.replace("http", "ws")}${path}`);
    socket.on("error", () => undefined);
    const status = await new Promise((resolve) =>
      socket.once("unexpected-response", (_request, response) => resolve(response.statusCode)),
    );
    expect(status).toBe(404);
  });

  it("at a registered path is judged before it is opened", async () => {
    const server = await start();
    server.registerUpgrade("/events", {
      access: { scope: "agent", mutates: false },
      open: ({ query, principal }) => {
        if (query.get("since") === "x") throw new Refusal("bad_request", "since must be a number.");
        return (socket) => {
          socket.send(`${principal.tenant} ${query.get("since")}`);
          return undefined;
        };
      },
    });
    expect(() => server.registerUpgrade("/events", {} as never)).toThrow("/events");
    const base = server.url.replace("http", "ws");
    const refused = new WebSocket(`${base}/events?since=x`);
    refused.on("error", () => undefined);
    const status = await new Promise((resolve) =>
      refused.once("unexpected-response", (_request, response) => resolve(response.statusCode)),
    );
    expect(status).toBe(400);
    const socket = new WebSocket(`${base}/events?since=5`);
    sockets.push(socket);
    expect(await new Promise((resolve) => socket.once("message", (data) => resolve(String(data))))).toBe("default 5");
  });

  it("that was broken off leaves nothing behind", async () => {
    const server = await start();
    const socket = connect(server.port, "127.0.0.1");
    socket.write("GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    await new Promise((resolve) => socket.once("close", resolve));
    const client = await open(server);
    client.send(echo(1));
    await client.reply();
    expect(server.stats().webSockets).toBe(1);
  });
});

describe("keep-alive", () => {
  /** A hub that pings every few milliseconds, behind a server of its own. */
  async function hubServer(server: TestServer): Promise<string> {
    const hub = new SocketHub({ payloadBytes: 1000, keepaliveMs: 40 }, server);
    hub.register("/k", { access: { scope: "agent", mutates: false }, open: () => () => undefined });
    const { createServer } = await import("node:http");
    const http = createServer().listen(0, "127.0.0.1");
    http.on("upgrade", (request, socket, head) => hub.upgrade(request, socket, head, { path: "/k", query: "" }));
    await new Promise((resolve) => http.once("listening", resolve));
    hubs.push(async () => {
      await hub.drain(0);
      await new Promise((resolve) => http.close(resolve));
    });
    return `ws://127.0.0.1:${(http.address() as { port: number }).port}/k`;
  }
  const hubs: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of hubs.splice(0)) await end();
  });

  it("cuts off a peer that answers no ping, and keeps one that does", async () => {
    const url = await hubServer(await start());
    const [alive, dead] = [new WebSocket(url), new WebSocket(url, { autoPong: false })];
    sockets.push(alive, dead);
    const gone = new Promise((resolve) => dead.once("close", resolve));
    await new Promise((resolve) => alive.once("ping", resolve));
    expect(await gone).toBe(1006);
    await new Promise((resolve) => alive.once("ping", resolve));
    expect(alive.readyState).toBe(WebSocket.OPEN);
  });

  it("closes the connections of a token that was withdrawn", async () => {
    const [old, next] = ["old-TOKEN-0123456789abcdefgh", "next-TOKEN-0123456789abcdefgh"];
    const entry = (token: string) => ({ name: "a", tenant: "t", scopes: ["agent"], token });
    const server = await start({ tokens: [entry(old)] });
    const socket = new WebSocket(await hubServer(server), { headers: { authorization: `Bearer ${old}` } });
    sockets.push(socket);
    await new Promise((resolve) => socket.once("ping", resolve));
    server.authenticator.replace(readTokenEntries([entry(next)]));
    expect(await new Promise((resolve) => socket.once("close", resolve))).toBe(1008);
  });
});
