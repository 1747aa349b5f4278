import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { DaemonProcess } from "../support/daemon-process.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

const AGENT = "agent-token-Zq3vJ8rT1mXw6LbN0cKd9sPf";
const METRICS = "metrics-token-aB4kQ7hY2nUe5RgM8xVj1tDs";
const TOKENS = [
  { name: "agents", tenant: "acme", scopes: ["agent"], token: AGENT },
  { name: "prometheus", tenant: "acme", scopes: ["metrics"], token: METRICS },
];

let folder: TemporaryFolder;
/** Without tokens, and with them. */
let open: DaemonProcess;
let guarded: DaemonProcess;

beforeAll(async () => {
  folder = temporaryFolder();
  const tokens = folder.write("tokens.json", JSON.stringify(TOKENS));
  const env = { CONTEXTD_SERVER__AUTH__TOKENS_FILE: tokens };
  [open, guarded] = await Promise.all([
    DaemonProcess.start({ data: join(folder.path, "open") }),
    DaemonProcess.start({ data: join(folder.path, "guarded"), env, token: AGENT }),
  ]);
});
afterAll(async () => {
  await Promise.all([open?.[Symbol.asyncDispose](), guarded?.[Symbol.asyncDispose]()]);
  folder[Symbol.dispose]();
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const JSON_TYPE = { "content-type": "application/json" };

/** A request as it is, Host header included: fetch would not let it be wrong. */
function send(daemon: DaemonProcess, { method = "POST", path = "/rpc", headers = JSON_TYPE, body = "" }: Sent) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: daemon.port, method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (data) => {
        text += data;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on("error", reject).end(body);
  });
}

/** Sends texts over one WebSocket and gives as many answers. */
function overWebSocket(daemon: DaemonProcess, texts: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/ws`);
    const answers: string[] = [];
    socket.on("error", reject).on("open", () => {
      for (const text of texts) socket.send(text);
    });
    socket.on("message", (data) => {
      answers.push(String(data));
      if (answers.length === texts.length) socket.close();
    });
    socket.on("close", () => resolve(answers));
  });
}

const call = (method: unknown, params?: unknown, rest: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 7, method, ...(params === undefined ? {} : { params }), ...rest });

interface Expected {
  readonly code: number;
  readonly reason: string;
  readonly id: number | null;
  readonly path?: string;
  readonly says: string;
}

/** What comes in a message that was received: the same over HTTP and WebSocket. */
const MESSAGES: readonly (readonly [what: string, text: string, expected: Expected])[] = [
  ["text that is no JSON", '{"jsonrpc":', { code: -32700, reason: "parse_error", id: null, says: "not JSON" }],
  ["nothing at all", "", { code: -32700, reason: "parse_error", id: null, says: "JSON" }],
  ["an empty batch", "[]", { code: -32600, reason: "invalid_request", id: null, says: "empty" }],
  [
    "a batch of too many",
    `[${Array.from({ length: 101 }, () => call("status.report")).join(",")}]`,
    { code: -32600, reason: "invalid_request", id: null, says: "100" },
  ],
  ["a number", "7", { code: -32600, reason: "invalid_request", id: null, says: "object" }],
  [
    "another version of JSON-RPC",
    '{"jsonrpc":"1.0","id":7,"method":"status.report"}',
    { code: -32600, reason: "invalid_request", id: 7, says: '"2.0"' },
  ],
  ["a method that is no text", call(5), { code: -32600, reason: "invalid_request", id: 7, says: '"method"' }],
  [
    "JSON nested too deep",
    call("status.report", null).replace("null", `${"[".repeat(100)}${"]".repeat(100)}`),
    { code: -32600, reason: "invalid_request", id: null, says: "64" },
  ],
  [
    "a method that does not exist",
    call("session.lst"),
    { code: -32601, reason: "method_not_found", id: 7, says: 'Did you mean "session.list"' },
  ],
  [
    "parameters in a list",
    call("session.list", [1]),
    { code: -32602, reason: "invalid_params", id: 7, path: "", says: "by name" },
  ],
  [
    "a parameter that is missing",
    call("session.get", {}),
    { code: -32602, reason: "invalid_params", id: 7, path: "session_id", says: "session_id" },
  ],
  [
    "a parameter that is not known",
    call("session.get", { session_id: "s", sesion: 1 }),
    { code: -32602, reason: "invalid_params", id: 7, path: "sesion", says: "session_id" },
  ],
  [
    "a parameter of the wrong kind",
    call("session.open", { max_context_tokens: "8k" }),
    { code: -32602, reason: "invalid_params", id: 7, path: "max_context_tokens", says: "number" },
  ],
  [
    "a value that is not legal",
    call("session.open", { message_format: "cobol" }),
    { code: -32602, reason: "invalid_params", id: 7, path: "message_format", says: "anthropic" },
  ],
  [
    "a setting that is not legal",
    call("session.open", { settings: { eviction: { policy: "best" } } }),
    { code: -32602, reason: "invalid_params", id: 7, path: "settings.eviction.policy", says: "hybrid" },
  ],
  [
    "a profile that does not exist",
    call("session.open", { profile: "huge" }),
    { code: -32602, reason: "invalid_params", id: 7, path: "profile", says: "default-128k" },
  ],
  [
    "a session that does not exist",
    call("on_turn_start", { session_id: "nobody" }),
    { code: -32001, reason: "session_not_found", id: 7, says: "session.open" },
  ],
];

function expectRefused(text: string, { code, reason, id, path, says }: Expected): void {
  const answer = JSON.parse(text);
  expect(answer).toMatchObject({ jsonrpc: "2.0", id, error: { code, data: { reason, retryable: false } } });
  expect(answer).not.toHaveProperty("result");
  const { message, data } = answer.error;
  if (path !== undefined) expect(data.path).toBe(path);
  expect(`${message} ${JSON.stringify(data.problems ?? "")}`).toContain(says);
  expectSentence(message);
}

/** Words for people, nothing of the daemon's inside. */
function expectSentence(message: string): void {
  expect(message).toMatch(/\S+ \S+ \S+/);
  expect(message).not.toMatch(/\.[jt]s:\d|node_modules|\bat \w+ \(/);
}

describe("a malformed message", () => {
  it.each(MESSAGES)("that is %s is refused with its code and a sentence, over HTTP", async (_what, text, expected) => {
    const { status, body } = await send(open, { body: text });
    expect(status).toBe(200);
    expectRefused(body, expected);
  });

  it.each(MESSAGES)("that is %s is refused in the same way over WebSocket", async (_what, text, expected) => {
    const [answer] = await overWebSocket(open, [text]);
    expectRefused(answer ?? "", expected);
  });

  it("leaves the WebSocket open for the next one", async () => {
    const answers = await overWebSocket(open, ["{", call("nope"), call("status.report")]);
    const ids = answers.map((answer) => JSON.parse(answer)).map(({ id, error }) => [id, error?.code ?? 0]);
    expect(ids).toEqual(
      expect.arrayContaining([
        [null, -32700],
        [7, -32601],
        [7, 0],
      ]),
    );
  });

  it("in a batch fails alone: its neighbours are answered, in order", async () => {
    const { status, body } = await send(open, { body: `[${call("status.report")},7,${call("nope")}]` });
    expect(status).toBe(200);
    const codes = JSON.parse(body).map((answer: { error?: { code: number } }) => answer.error?.code ?? 0);
    expect(codes).toEqual([0, -32600, -32601]);
  });

  it("without an id is a notification: 204, and no answer whatever it comes to", async () => {
    const { status, body } = await send(open, { body: '{"jsonrpc":"2.0","method":"nope"}' });
    expect({ status, body }).toEqual({ status: 204, body: "" });
  });
});

interface RefusedRequest {
  readonly status: number;
  readonly refusal: string;
  readonly says: string;
}

/** What HTTP refuses before a call is looked at. */
const REQUESTS: readonly (readonly [what: string, sent: Sent, expected: RefusedRequest])[] = [
  [
    "another content type",
    { headers: { "content-type": "text/plain" }, body: call("status.report") },
    { status: 415, refusal: "unsupported_media_type", says: "application/json" },
  ],
  [
    "no content type",
    { headers: {}, body: call("status.report") },
    { status: 415, refusal: "unsupported_media_type", says: "application/json" },
  ],
  [
    "a form, as a page of another site may send it",
    { headers: { "content-type": "application/x-www-form-urlencoded" }, body: call("status.report") },
    { status: 415, refusal: "unsupported_media_type", says: "application/json" },
  ],
  [
    "a compressed body",
    { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body: call("status.report") },
    { status: 415, refusal: "unsupported_media_type", says: "unencoded" },
  ],
  ["GET", { method: "GET" }, { status: 405, refusal: "method_not_allowed", says: "POST" }],
  [
    "a foreign Host",
    { headers: { ...JSON_TYPE, host: "evil.example" }, body: call("status.report") },
    { status: 403, refusal: "foreign_host", says: "allowed_hosts" },
  ],
  [
    "a foreign Origin",
    { headers: { ...JSON_TYPE, origin: "http://evil.example" }, body: call("status.report") },
    { status: 403, refusal: "foreign_origin", says: "allowed_origins" },
  ],
  [
    "a body over the limit",
    { body: call("status.report", undefined, { padding: "x".repeat(5 << 20) }) },
    { status: 413, refusal: "payload_too_large", says: "4194304" },
  ],
];

describe("a request that HTTP refuses", () => {
  it.each(REQUESTS)("for %s has its status, a stable name and a sentence", async (_what, sent, expected) => {
    const { status, body } = await send(open, sent);
    expect(status).toBe(expected.status);
    const { error } = JSON.parse(body);
    expect(error).toMatchObject({ code: -32600, data: { refusal: expected.refusal, reason: "invalid_request" } });
    expect(error.message).toContain(expected.says);
    expectSentence(error.message);
  });

  it("for a token in the query string is refused, and the token is not repeated", async () => {
    const { status, body } = await send(guarded, { path: `/rpc?access_token=${AGENT}`, body: call("status.report") });
    expect({ status, reason: JSON.parse(body).error.reason }).toEqual({ status: 400, reason: "token_in_query" });
    expect(body).not.toContain(AGENT);
  });
});

const bearer = (token: string) => ({ ...JSON_TYPE, authorization: `Bearer ${token}` });

describe("a token", () => {
  const refused: readonly (readonly [what: string, headers: Record<string, string>, says: string])[] = [
    ["that is missing", JSON_TYPE, "Authorization: Bearer"],
    ["that is not known", bearer("nobody-knows-this-token-of-mine"), "not known"],
    ["in another scheme", { ...JSON_TYPE, authorization: "Basic YTpi" }, "Bearer"],
    ["without the scope of the method", bearer(METRICS), "takes agent"],
  ];
  it.each(refused)("%s is refused with 401, -32004 and a sentence", async (_what, headers, says) => {
    const { status, headers: answered, body } = await send(guarded, { headers, body: call("session.list") });
    expect({ status, challenge: answered["www-authenticate"] }).toEqual({
      status: 401,
      challenge: 'Bearer realm="contextd"',
    });
    const { error } = JSON.parse(body);
    expect(error).toMatchObject({ code: -32004, data: { reason: "unauthorized", retryable: false } });
    expect(error.message).toContain(says);
    expectSentence(error.message);
  });

  it("that holds the scope is let in", async () => {
    const { status, body } = await send(guarded, { headers: bearer(AGENT), body: call("session.list") });
    expect({ status, answer: JSON.parse(body) }).toMatchObject({
      status: 200,
      answer: { id: 7, result: { total: 0 } },
    });
  });

  it("is asked for at every door but the probes'", async () => {
    for (const path of ["/metrics", "/healthz", "/openrpc.json", "/asyncapi.json"]) {
      expect((await send(guarded, { method: "GET", path, headers: {} })).status, path).toBe(401);
    }
    for (const path of ["/livez", "/readyz"]) {
      expect((await send(guarded, { method: "GET", path, headers: {} })).status, path).toBe(200);
    }
    expect((await send(guarded, { method: "GET", path: "/metrics", headers: bearer(METRICS) })).status).toBe(200);
    expect((await send(guarded, { method: "GET", path: "/metrics", headers: bearer(AGENT) })).status).toBe(401);
  });

  it.each(["/ws", "/events"])("is asked for at the handshake of %s", async (path) => {
    const status = await new Promise((resolve) => {
      const socket = new WebSocket(`${guarded.url.replace("http", "ws")}${path}`);
      socket.on("unexpected-response", (_request, response) => {
        response.resume();
        resolve(response.statusCode);
      });
      socket.on("open", () => resolve("open")).on("error", () => undefined);
    });
    expect(status).toBe(401);
  });
});
