import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ContextdClient, RpcError } from "../../src/client/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { documentedMethods } from "../../src/rpc/methods/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { mutated } from "../support/hostile-values.ts";
import { seeded } from "../support/json-rpc-fuzz.ts";
import { methodSamples } from "../support/method-samples.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const OPERATIONS = LONG ? 10_000 : 1000;
const SEED = 20_251_121;

/** Stand in everything that a tenant sends in sessions that are not to be the same. */
const WORD = { north: "canarynorthqx", south: "canarysouthqx" } as const;
type Tenant = keyof typeof WORD;
const TENANTS = Object.keys(WORD) as Tenant[];
const tokenOf = (tenant: Tenant) => `token-of-${tenant}-0123456789-abcdefghij`;
const other = (tenant: Tenant): Tenant => (tenant === "north" ? "south" : "north");

const folder = temporaryFolder();
let daemon: DaemonProcess;
const clients = {} as Record<Tenant, ContextdClient>;
const subscribers: WebSocket[] = [];
const heard: Record<Tenant, string[]> = { north: [], south: [] };

beforeAll(async () => {
  const tokens = TENANTS.map((tenant) => ({
    name: tenant,
    tenant,
    scopes: ["agent", "operator"],
    token: tokenOf(tenant),
  }));
  const tokensFile = folder.write("tokens.json", JSON.stringify({ tokens }));
  daemon = await DaemonProcess.start({
    data: `${folder.path}/data`,
    env: { CONTEXTD_SERVER__AUTH__TOKENS_FILE: tokensFile },
  });
  for (const tenant of TENANTS) {
    clients[tenant] = new ContextdClient({ url: daemon.url, token: tokenOf(tenant), attempts: 1 });
    const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/events`, {
      headers: { authorization: `Bearer ${tokenOf(tenant)}` },
    });
    socket.on("message", (data) => heard[tenant].push(String(data)));
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    subscribers.push(socket);
  }
});
afterAll(async () => {
  for (const socket of subscribers) socket.terminate();
  await daemon[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** The answer as text: of an error all that the client is told. */
async function answerTo(tenant: Tenant, method: string, params: JsonObject): Promise<string> {
  try {
    return JSON.stringify(await clients[tenant].call<Json>(method, params));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return JSON.stringify({ code: error.code, message: error.message, data: error.data });
  }
}

/** Of what system.report tells, that which is of the tenant and not of the whole daemon. */
function ownOfSystem(answer: string): string {
  const { hooks, estimator, alerts } = JSON.parse(answer) as {
    hooks: { method: string; count: number; errors: number }[];
    estimator: Json;
    alerts: { firing: Json };
  };
  const methods = hooks.map(({ method, count, errors }) => [method, count, errors]).sort();
  return JSON.stringify({ methods, estimator, firing: alerts.firing });
}

/** Without the time, the tenant's name, what is hashed with it, and the daemon's cursor. */
function comparable(answer: string): string {
  return answer
    .replaceAll(/"(at|saved_at|last_seen|uptime_seconds|p99_ms|per_second|last_sequence)":(null|[\d.e+-]+)/g, '"$1":0')
    .replaceAll(/"(at|hooks_per_second|p99_ms)":\[[^\]]*\]/g, '"$1":[]')
    .replaceAll(/"tenant":"(north|south)"/g, '"tenant":""')
    .replaceAll(/"(started_at|seconds)":[\d.e+-]+/g, '"$1":0')
    .replaceAll(/"replay_id":"[^"]*"/g, '"replay_id":0')
    .replaceAll(/"(saved_at|expires_at)":"[\dT:.Z-]+"/g, '"$1":0')
    .replaceAll(/"checksum":"[0-9a-f]{64}"/g, '"checksum":0')
    .replaceAll(/("type":"checkpoint.saved","data":\{[^{}]*"hash":)"[0-9a-f]{64}"/g, "$10");
}

describe("two tenants that make the same calls with the same ids and idempotency keys", () => {
  it("get the same answers: neither sees that the other is there", async () => {
    const answers: Record<Tenant, string[]> = { north: [], south: [] };
    // The second tenant's turn comes when the first has done everything.
    for (const tenant of TENANTS) {
      for (const { method, params } of methodSamples()) {
        const answer = await answerTo(tenant, method, params);
        const own = method === "system.report" ? ownOfSystem(answer) : answer;
        answers[tenant].push(`${method}: ${comparable(own)}`);
      }
    }
    for (const [n, answer] of answers.south.entries()) expect(answer).toBe(answers.north[n]);
    const sampled = new Set(methodSamples().map(({ method }) => method));
    expect(documentedMethods().filter(({ name }) => !sampled.has(name))).toEqual([]);
  });
});

describe("a session of another tenant", () => {
  beforeAll(async () => {
    for (const tenant of TENANTS) {
      for (const { method, params } of methodSamples(WORD[tenant], "marked")) await answerTo(tenant, method, params);
    }
  });

  it("is answered for as one that nobody has, by every method", async () => {
    await clients.north.call("session.open", { session_id: "only-north", system: `The ${WORD.north}.` });
    for (const { method, params } of methodSamples(WORD.south)) {
      // Opening is how the south would come by a session of its own.
      if (!("session_id" in params) || method === "session.open") continue;
      const foreign = await answerTo("south", method, { ...params, session_id: "only-north" });
      const unknown = await answerTo("south", method, { ...params, session_id: "only-south" });
      expect(foreign.replaceAll("only-north", "only-south"), method).toBe(unknown);
      expect(JSON.parse(foreign), method).toMatchObject({ data: { reason: "session_not_found" } });
    }
  });

  it("may be opened under the same id, and is another session then", async () => {
    const opened = await clients.south.call("session.open", { session_id: "only-north", system: "Mine." });
    expect(opened).toMatchObject({ resumed: false, revision: expect.any(Number) });
    const { messages } = await clients.south.call<{ messages: JsonObject[] }>("context.get", {
      session_id: "only-north",
      include: ["messages"],
    });
    expect(JSON.stringify(messages)).not.toContain(WORD.north);
  });

  it("has handles that mean nothing to others, as handles that nobody has", async () => {
    const { blocks } = await clients.north.call<{ blocks: { handle: string }[] }>("context.get", {
      session_id: "marked",
    });
    for (const { handle } of blocks) {
      for (const method of ["content.recall", "context.explain"]) {
        const mine = await answerTo("south", method, { session_id: "marked", handle });
        const nobodys = await answerTo("south", method, { session_id: "marked", handle: "h-ffffffffffff" });
        // What both tenants have word for word is each one's own.
        if (JSON.parse(mine).data !== undefined) expect(mine, method).toBe(nobodys);
        expect(mine, method).not.toContain(WORD.north);
      }
    }
  });
});

describe(`${OPERATIONS} calls of two tenants in any order, right and wrong ones`, () => {
  it("let not a word cross, in answers, errors or events", async () => {
    const random = seeded(SEED);
    const samples = Object.fromEntries(
      TENANTS.map((tenant) => [tenant, methodSamples(WORD[tenant]).filter(({ method }) => method !== "session.close")]),
    ) as Record<Tenant, ReturnType<typeof methodSamples>>;
    const crossed: string[] = [];
    for (let n = 0; n < OPERATIONS; n++) {
      const tenant = random() < 0.5 ? "north" : "south";
      const { method, params } = samples[tenant][Math.floor(random() * samples[tenant].length)]!;
      const own: JsonObject = {
        ...params,
        ...("session_id" in params
          ? { session_id: ["marked", "only-north", "s3", "s4"][Math.floor(random() * 4)]! }
          : {}),
        // One tenant's keys are used by the other as well.
        ...("idempotency_key" in params ? { idempotency_key: `any ${Math.floor(random() * OPERATIONS)}` } : {}),
      };
      const answer = await answerTo(tenant, method, random() < 0.5 ? own : mutated(own, random));
      if (answer.includes(WORD[other(tenant)])) crossed.push(`${method}: ${answer.slice(0, 300)}`);
    }
    expect(crossed).toEqual([]);
    for (const tenant of TENANTS) {
      expect(heard[tenant].length).toBeGreaterThan(0);
      expect(heard[tenant].filter((event) => event.includes(`"tenant":"${other(tenant)}"`))).toEqual([]);
      expect(heard[tenant].filter((event) => event.includes(WORD[other(tenant)]))).toEqual([]);
    }
  });
});
