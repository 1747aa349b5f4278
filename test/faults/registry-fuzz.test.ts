import { Agent, request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ERRORS } from "../../src/model/errors.ts";
import { documentedMethods } from "../../src/rpc/methods/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { mutated } from "../support/hostile-values.ts";
import { type FuzzMessage, jsonRpcFuzz, seeded } from "../support/json-rpc-fuzz.ts";
import { methodSamples } from "../support/method-samples.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const MESSAGES = LONG ? 1_000_000 : 20_000;
const MUTATIONS = LONG ? 100_000 : 4_000;
const SEED = 20_251_121;
/** Each is a tenant of its own, so that none sees what another's messages do. */
const LANES = 4;
/** Three times the second after which an answer counts as a hang: machines that run tests are noisy. */
const HANG_MS = 3000;
const CODES = new Set<number>(Object.values(ERRORS).map(({ code }) => code));
const INTERNAL: number = ERRORS.internal_error.code;

interface Reply {
  readonly result?: unknown;
  readonly error?: { code: number; message: string; data: { reason: string; retryable: boolean } };
}

interface Exchange {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

const folder = temporaryFolder();
const tokenOf = (lane: number) => `lane-${lane}-of-the-registry-fuzz-0123456789`;
let daemon: DaemonProcess;
let lanes: Lane[];

/** One tenant's connections: the same bytes go over both, one message after the other. */
class Lane {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #token: string;
  readonly #socket: WebSocket;
  readonly #received: string[] = [];
  #wake: () => void = () => {};

  private constructor(port: number, token: string) {
    this.#port = port;
    this.#token = token;
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
    this.#socket.on("message", (data) => {
      this.#received.push(String(data));
      this.#wake();
    });
    this.#socket.on("close", (code) => {
      this.#received.push(`the WebSocket was closed with ${code}`);
      this.#wake();
    });
  }

  static async open(port: number, token: string): Promise<Lane> {
    const lane = new Lane(port, token);
    await new Promise((resolve, reject) => lane.#socket.once("open", resolve).once("error", reject));
    return lane;
  }

  overHttp(bytes: Buffer): Promise<Exchange> {
    const begun = performance.now();
    const headers = {
      "content-type": "application/json",
      "content-length": bytes.length,
      authorization: `Bearer ${this.#token}`,
    };
    return new Promise((resolve, reject) => {
      const options = { port: this.#port, path: "/rpc", method: "POST", agent: this.#agent, headers };
      const request = httpRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const body = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, body, ms: performance.now() - begun });
        });
      });
      request.on("error", reject).end(bytes);
    });
  }

  /** "" where HTTP had no reply: then the next call's reply must be the next message. */
  async overSocket(bytes: Buffer, answered: boolean): Promise<string> {
    this.#socket.send(bytes);
    if (answered) return this.#next();
    this.#socket.send('{"jsonrpc":"2.0","id":"after","method":"session.list","params":{"limit":1}}');
    expect(JSON.parse(await this.#next())).toMatchObject({ id: "after" });
    return "";
  }

  async #next(): Promise<string> {
    while (this.#received.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#received.shift() as string;
  }

  close(): void {
    this.#agent.destroy();
    this.#socket.removeAllListeners("close").terminate();
  }
}

beforeAll(async () => {
  const tokens = Array.from({ length: LANES }, (_, lane) => ({
    name: `lane-${lane}`,
    tenant: `tenant-${lane}`,
    scopes: ["agent", "operator"],
    token: tokenOf(lane),
  }));
  const tokensFile = folder.write("tokens.json", JSON.stringify({ tokens }));
  daemon = await DaemonProcess.start({
    data: `${folder.path}/data`,
    env: { CONTEXTD_SERVER__AUTH__TOKENS_FILE: tokensFile },
  });
  lanes = await Promise.all(tokens.map(({ token }) => Lane.open(daemon.port, token)));
  for (const lane of lanes) {
    for (const [id, sample] of methodSamples().entries()) {
      const { body } = await lane.overHttp(Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, ...sample })));
      expect(JSON.parse(body), sample.method).toHaveProperty("result");
    }
  }
});
afterAll(async () => {
  for (const lane of lanes) lane.close();
  await daemon[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Calls that may be made over two transports, one after the other: a replay that runs refuses the next until it ends. */
function alikeTwice() {
  return methodSamples().filter(({ method }) => method !== "replay.run");
}

/** Without what differs from call to call: incidents, names that the daemon chooses, and its own figures. */
function comparable(text: string): string {
  return (
    withoutSystem(text)
      .replaceAll(/\bs-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<session>")
      .replaceAll(/\b[0-9a-f]{12}\b/g, "<incident>")
      .replaceAll(/"uptime_seconds":[\d.e+-]+/g, '"uptime_seconds":0')
      .replaceAll(
        /"(hooks|history|cost_saved|regret)":\{"(total|interval_seconds|tokens|evicted)":[^{}]*\}/g,
        '"$1":{}',
      )
      .replaceAll(/"estimator_error":(null|[\d.e+-]+)/g, '"estimator_error":0')
      // What is watched follows the calls at its own pace.
      .replaceAll(/"policies":\[\{[^\]]*\]/g, '"policies":[]')
      .replaceAll(/"policies":\[\],"sessions":\[(\{[^{}]*\},?)*\]/g, '"policies":[],"sessions":[]')
      .replaceAll(/"(tokens_freed_total|overflows_total|overflows_last_hour|last_sequence)":\d+/g, '"$1":0')
  );
}

/** What system.report tells is of the moment: two transports can only agree that it answers. */
function withoutSystem(text: string): string {
  if (!text.includes('"sessions_in_memory"')) return text;
  const replies = JSON.parse(text) as Reply | Reply[];
  const plain = [replies].flat().map((reply) => {
    const isSystem = (reply.result as { process?: object } | undefined)?.process !== undefined;
    return isSystem ? { ...reply, result: "<system>" } : reply;
  });
  return JSON.stringify(Array.isArray(replies) ? plain : plain[0]);
}

function expectProper(body: string): void {
  for (const reply of [JSON.parse(body) as Reply | Reply[]].flat()) {
    if (Object.hasOwn(reply, "result")) {
      expect(reply).not.toHaveProperty("error");
      continue;
    }
    const { code, data } = reply.error ?? { code: 0, data: { reason: "" } };
    expect(CODES.has(code), `${code} is a documented code`).toBe(true);
    expect(code, JSON.stringify(reply)).not.toBe(INTERNAL);
    expect(ERRORS[data.reason as keyof typeof ERRORS]?.code).toBe(code);
  }
}

function expectExpected({ expected }: FuzzMessage, body: string): void {
  if (expected === undefined) return;
  if (expected === null) {
    expect(body).toBe("");
    return;
  }
  const answer = JSON.parse(body) as Reply | Reply[];
  expect(Array.isArray(answer)).toBe(expected.batch);
  expect([answer].flat().map(({ error }) => error?.code ?? 0)).toEqual(expected.codes);
}

/** Sends every message over both transports and checks what comes back; answers the slowest. */
async function exchangeAll(messages: Iterator<FuzzMessage>): Promise<{ kind: string; ms: number }> {
  let slowest = { kind: "", ms: 0 };
  const work = async (lane: Lane): Promise<void> => {
    for (let next = messages.next(); !next.done; next = messages.next()) {
      const message = next.value;
      try {
        const { status, body, ms } = await lane.overHttp(message.bytes);
        if (ms > slowest.ms) slowest = { kind: message.kind, ms };
        expect([200, 204]).toContain(status);
        expect(body === "").toBe(status === 204);
        expectExpected(message, body);
        if (body !== "") expectProper(body);
        const other = await lane.overSocket(message.bytes, status === 200);
        expect(comparable(other)).toBe(comparable(body));
      } catch (error) {
        const text = message.bytes.toString("latin1");
        const shown = text.length > 2000 ? `${text.length} bytes` : JSON.stringify(text);
        throw new Error(`a message of the kind "${message.kind}" (${shown}): ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(lanes.map(work));
  return slowest;
}

describe("the methods of the daemon", () => {
  it("each have a sample to fuzz", () => {
    const sampled = new Set(methodSamples().map(({ method }) => method));
    expect(
      documentedMethods()
        .map(({ name }) => name)
        .filter((name) => !sampled.has(name)),
    ).toEqual([]);
  });
});

describe(`${MESSAGES} fuzzed messages to every method`, () => {
  it("get proper answers, the same over HTTP and WebSocket, none late, and break nothing", async ({ annotate }) => {
    const messages = jsonRpcFuzz({ calls: alikeTwice(), maxBatch: 100, maxDepth: 64 }, MESSAGES, SEED);
    const slowest = await exchangeAll(messages);
    await annotate(`the slowest answer, to a ${slowest.kind}, took ${slowest.ms.toFixed(0)} ms`);
    expect(slowest.ms, slowest.kind).toBeLessThan(HANG_MS);
    expect((await fetch(`${daemon.url}/livez`)).status).toBe(200);
  });
});

describe(`${MUTATIONS} calls with one parameter gone wrong`, () => {
  it("are refused or done, never with an internal error, alike over HTTP and WebSocket", async ({ annotate }) => {
    const slowest = await exchangeAll(mutations(MUTATIONS));
    await annotate(`the slowest answer, to ${slowest.kind}, took ${slowest.ms.toFixed(0)} ms`);
    expect(slowest.ms, slowest.kind).toBeLessThan(HANG_MS);
    expect((await fetch(`${daemon.url}/livez`)).status).toBe(200);
  });
});

describe("the daemon that took all of them", () => {
  it("logged no fault, and stops in order", async () => {
    const { code, stderr } = await daemon.kill("SIGTERM");
    expect(code).toBe(0);
    expect(stderr.split("\n").filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});

function* mutations(count: number): Generator<FuzzMessage> {
  const random = seeded(SEED);
  // A session closed for good would hide what comes after.
  const samples = alikeTwice().filter(({ method }) => method !== "session.close");
  for (let n = 0; n < count; n++) {
    const { method, params } = samples[n % samples.length]!;
    const own = "idempotency_key" in params ? { ...params, idempotency_key: `m${n}` } : params;
    const request = { jsonrpc: "2.0", id: n, method, params: mutated(own, random) };
    yield { kind: method, bytes: Buffer.from(JSON.stringify(request)) };
  }
}
