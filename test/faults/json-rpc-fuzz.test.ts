import { Agent, request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ERRORS } from "../../src/model/errors.ts";
import { type FuzzMessage, jsonRpcFuzz } from "../support/json-rpc-fuzz.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const INPUTS = LONG ? 1_000_000 : 20_000;
const SEED = 20_240_917;
/** An answer that takes longer is a hang. */
const MAX_MS = 1000;
const CODES = new Set(Object.values(ERRORS).map(({ code }) => code as number));

const CALLS = [
  { method: "echo", params: { value: { a: [1, "ü", null] } } },
  { method: "echo", params: {} },
  { method: "session.write", params: { session_id: "s1", turn: 3, tags: ["a"] } },
  { method: "rpc.discover", params: {} },
];

interface Reply {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { code: number; message: string; data: { reason: string; retryable: boolean } };
}

let server: TestServer;
let socket: WebSocket;
const agent = new Agent({ keepAlive: true });
const received: string[] = [];
let wake: (() => void) | null = null;

beforeAll(async () => {
  server = await startTestServer();
  socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`);
  socket.on("message", (data) => {
    received.push(String(data));
    wake?.();
  });
  await new Promise((resolve) => socket.once("open", resolve));
});
afterAll(async () => {
  agent.destroy();
  socket.terminate();
  await server.close();
});

function overHttp(bytes: Buffer): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": bytes.length };
    const request = httpRequest({ port: server.port, path: "/rpc", method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    request.on("error", reject).end(bytes);
  });
}

async function nextMessage(): Promise<string> {
  while (received.length === 0) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  return received.shift() as string;
}

/** The reply over the WebSocket, or null where HTTP had none: then the next call's reply must be the next message. */
async function overSocket(bytes: Buffer, answered: boolean): Promise<string | null> {
  socket.send(bytes);
  if (answered) return nextMessage();
  socket.send('{"jsonrpc":"2.0","id":"after","method":"echo"}');
  expect(JSON.parse(await nextMessage())).toMatchObject({ id: "after" });
  return null;
}

/** Incidents differ from call to call. */
function comparable(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{12}\b/g, "<incident>");
}

function isProper(reply: Reply): boolean {
  if (Object.hasOwn(reply, "result")) return !Object.hasOwn(reply, "error");
  const { code, message, data } = reply.error ?? {};
  if (code === undefined || data === undefined || typeof message !== "string") return false;
  return CODES.has(code) && ERRORS[data.reason as keyof typeof ERRORS]?.code === code;
}

function checkExpected(message: FuzzMessage, body: string): void {
  if (message.expected === undefined) return;
  if (message.expected === null) {
    expect(body).toBe("");
    return;
  }
  const answer = JSON.parse(body) as Reply | Reply[];
  expect(Array.isArray(answer)).toBe(message.expected.batch);
  expect([answer].flat().map(({ error }) => error?.code ?? 0)).toEqual(message.expected.codes);
}

describe(`${INPUTS} fuzzed messages`, () => {
  it("get proper answers, the same over HTTP and WebSocket, none late, and break nothing", async () => {
    const kinds = new Map<string, number>();
    let slowest = { kind: "", ms: 0 };
    for (const message of jsonRpcFuzz({ calls: CALLS, maxBatch: 100, maxDepth: 64 }, INPUTS, SEED)) {
      kinds.set(message.kind, (kinds.get(message.kind) ?? 0) + 1);
      const begun = performance.now();
      const { status, body } = await overHttp(message.bytes);
      const ms = performance.now() - begun;
      if (ms > slowest.ms) slowest = { kind: message.kind, ms };
      try {
        expect([200, 204]).toContain(status);
        expect(body === "").toBe(status === 204);
        checkExpected(message, body);
        if (body !== "")
          for (const reply of [JSON.parse(body) as Reply | Reply[]].flat()) expect(isProper(reply)).toBe(true);
        const other = await overSocket(message.bytes, status === 200);
        expect(comparable(other ?? "")).toBe(comparable(body));
      } catch (error) {
        const shown =
          message.bytes.length > 500
            ? `${message.bytes.length} bytes`
            : JSON.stringify(message.bytes.toString("latin1"));
        throw new Error(`a message of the kind "${message.kind}" (${shown}): ${(error as Error).message}`);
      }
    }
    expect(slowest.ms, slowest.kind).toBeLessThan(MAX_MS);
    expect(kinds.size).toBeGreaterThan(30);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(server.log.lines.filter(({ level }) => level === "error")).toEqual([]);
    expect(received).toEqual([]);
    expect(server.admission.inFlight).toBe(0);
  });
});
