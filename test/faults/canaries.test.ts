import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { JsonObject } from "../../src/model/json.ts";
import { DaemonProcess, runCommand } from "../support/daemon-process.ts";
import { withEverywhere } from "../support/hostile-values.ts";
import { methodSamples } from "../support/method-samples.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What must not be seen again outside of the answers that give content back. */
const CANARY = "CANARYq7x3CONTENT";
const TOKEN = "CANARYq7x3TOKEN-0123456789-abcdefghijklmn";
const METRICS_TOKEN = "CANARYq7x3METRICS-0123456789-abcdefghijk";
const SECRET = "postgres://contextd:CANARYq7x3SECRET@localhost/contextd";
const BIRD = "CANARYq7x3";

/** Parameters that name something: an error may name it back. */
const IDS = new Set([
  "session_id",
  "session_ids",
  "block_ids",
  "tool_call_id",
  "id",
  "window_id",
  "agent",
  "model",
  "profile",
  "name",
  "tool_name",
]);

const folder = temporaryFolder();
let daemon: DaemonProcess;
let env: Record<string, string>;
/** What an error told, with the request it was the answer to. */
const errors: { readonly sent: string; readonly told: string }[] = [];

beforeAll(async () => {
  const tokens = [
    { name: "agents", tenant: "acme", scopes: ["agent", "operator"], token: TOKEN },
    { name: "prometheus", tenant: "acme", scopes: ["metrics"], token: METRICS_TOKEN },
  ];
  env = { CONTEXTD_SERVER__AUTH__TOKENS_FILE: folder.write("tokens.json", JSON.stringify({ tokens })) };
  daemon = await DaemonProcess.start({ data: `${folder.path}/data`, args: ["--log-level", "trace"], env });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const RIGHT = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };

function send({ method = "POST", path = "/rpc", headers = RIGHT, body = "" }: Sent): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: daemon.port, method, path, headers }, (response) => {
      let text = JSON.stringify(response.headers);
      response.setEncoding("utf8").on("data", (data) => {
        text += data;
      });
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
    });
    sent.on("error", reject).end(body);
  });
}

/** Notes what was told when the call failed. Answers without an error may well hold what was sent. */
async function call(method: string, params: JsonObject): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const told = await send({ body });
  if (/"error":\{"code":-\d+/.test(told)) errors.push({ sent: body.slice(0, 500), told });
}

async function refused(sent: Sent): Promise<void> {
  errors.push({ sent: JSON.stringify(sent).slice(0, 500), told: await send(sent) });
}

function found(texts: readonly string[]): string[] {
  return texts.filter((text) => text.includes(BIRD)).map((text) => text.slice(0, 500));
}

describe("what agents send, and what opens the door to them", () => {
  it("is in no error body, wherever in a call it stood", async () => {
    for (const { method, params } of methodSamples(CANARY)) await call(method, params);
    let n = 0;
    for (const { method, params } of methodSamples(CANARY)) {
      for (const value of [CANARY, { text: CANARY }, [CANARY, CANARY]]) {
        for (const wrong of withEverywhere(params, value, (key) => IDS.has(key))) {
          await call(method, "idempotency_key" in wrong ? { ...wrong, idempotency_key: `n${n++}` } : wrong);
        }
      }
    }
    expect(errors.length).toBeGreaterThan(100);
    expect(errors.filter(({ told }) => told.includes(BIRD))).toEqual([]);
  });

  it("is in no refusal of a request that HTTP or JSON-RPC cannot take", async () => {
    const json = { "content-type": "application/json" };
    const bodies = [
      CANARY,
      `{"prompt":"${CANARY}`,
      `{"jsonrpc":"2.0","id":1,"method":"${CANARY} ${CANARY}"}`,
      `{"jsonrpc":"${CANARY}","id":1,"method":"session.list"}`,
      `{"jsonrpc":"2.0","id":{"a":"${CANARY}"},"method":"session.list"}`,
      `[${`"${CANARY}",`.repeat(3)}1]`,
      `{"jsonrpc":"2.0","id":1,"method":"session.list","params":["${CANARY}"]}`,
      `{"jsonrpc":"2.0","id":1,"method":"session.list","params":{"${CANARY} ${CANARY}":1}}`,
      `${"[".repeat(100)}"${CANARY}"${"]".repeat(100)}`,
      `"${CANARY.repeat(300_000)}"`,
    ];
    for (const body of bodies) await refused({ body });
    await refused({ headers: { ...json, authorization: `Bearer ${CANARY}` } });
    await refused({ headers: { ...json, authorization: `Basic ${CANARY}` } });
    await refused({ headers: { ...json, authorization: CANARY } });
    await refused({ headers: { ...RIGHT, "content-type": `text/${CANARY}` }, body: CANARY });
    await refused({ headers: { ...RIGHT, "content-encoding": CANARY }, body: CANARY });
    await refused({ headers: { ...RIGHT, host: `${CANARY}.example` } });
    await refused({ headers: { ...RIGHT, origin: `http://${CANARY}.example` } });
    await refused({ headers: { ...RIGHT, traceparent: CANARY, cookie: CANARY, "user-agent": CANARY } });
    await refused({ path: `/rpc?token=${TOKEN}` });
    await refused({ method: "GET", path: `/${CANARY}?q=${CANARY}` });
    await refused({ method: "GET", path: `/events?types=${CANARY}`, headers: {} });
    await refused({ method: CANARY.slice(0, 6) as "POST" }).catch(() => undefined);
    expect(errors.filter(({ told }) => told.includes(BIRD))).toEqual([]);
  });

  it("is in no answer to a WebSocket that is refused, or says what cannot be read", async () => {
    const told: string[] = [];
    const url = daemon.url.replace("http", "ws");
    const attempt = (path: string, protocols: string[], message: string | null) =>
      new Promise<void>((resolve) => {
        const socket = new WebSocket(url + path, protocols);
        socket.on("unexpected-response", (_request, response) => {
          response.setEncoding("utf8").on("data", (text) => told.push(String(text)));
          response.on("end", () => resolve());
        });
        socket.on("error", () => resolve());
        socket.on("open", () => (message === null ? socket.close() : socket.send(message)));
        socket.on("message", (data) => {
          told.push(String(data), socket.protocol);
          socket.close();
        });
        socket.on("close", (_code, reason) => {
          told.push(String(reason));
          resolve();
        });
      });
    const right = ["contextd.v1", `contextd.bearer.${TOKEN}`];
    await attempt("/ws", [], null);
    await attempt("/ws", ["contextd.v1", `contextd.bearer.${CANARY}`], null);
    await attempt("/ws", right, `{"prompt":"${CANARY}"`);
    await attempt("/ws", right, `{"jsonrpc":"2.0","id":1,"method":"on_turn_start","params":{"messages":"${CANARY}"}}`);
    await attempt(`/events?since=${CANARY}`, right, null);
    expect(told.length).toBeGreaterThan(4);
    expect(found(told)).toEqual([]);
  });

  it("is in no metric, probe or document", async () => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const texts = [];
    for (const path of ["/metrics", "/livez", "/readyz", "/healthz", "/openrpc.json", "/asyncapi.json", "/"]) {
      texts.push(await send({ method: "GET", path, headers }), await send({ method: "GET", path, headers: RIGHT }));
    }
    expect(texts[0]).toContain("contextd_");
    expect(found(texts)).toEqual([]);
  });

  it("is not in what the config commands print", async () => {
    const config = folder.write("contextd.json", JSON.stringify({ store: { kind: "sqlite", url: SECRET } }));
    const secret = folder.write("url", SECRET);
    const printed = [
      await runCommand(["print-config", "--config", config], env),
      await runCommand(["print-config"], { ...env, CONTEXTD_STORE__URL_FILE: secret }),
      await runCommand(["check-config", config], env),
      await runCommand(["check-config", folder.write("bad.yaml", `store: {url: ${SECRET}, kind: ${CANARY}`)], env),
      await runCommand(["serve", "--port", "0"], { CONTEXTD_SERVER__AUTH__TOKENS_FILE: folder.write("t", TOKEN) }),
    ];
    expect(printed[0]?.stdout).toContain("store");
    expect(found(printed.flatMap(({ stdout, stderr }) => [stdout, stderr]))).toEqual([]);
  });

  it("is in no line that the daemon wrote, at the most talkative level", async () => {
    const { code, stdout, stderr } = await daemon.kill("SIGTERM");
    expect(code).toBe(0);
    expect(stderr.split("\n").length).toBeGreaterThan(3);
    expect(found([...stdout.split("\n"), ...stderr.split("\n")])).toEqual([]);
  });
});
