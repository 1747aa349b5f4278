import { describe, expect, test } from "vitest";
import { ContextdError } from "../../src/model/errors.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { CallContext } from "../../src/rpc/method.ts";
import { shadowMethods } from "../../src/rpc/methods/shadow.ts";
import { TENANT } from "../support/manager.ts";
import { ShadowedManager } from "../support/shadowed-manager.ts";
import { playRun } from "./recorded-agent.ts";

const CANDIDATES = { fifo: { eviction: { policy: "fifo" } }, none: { eviction: { policy: "none" } } };

/** The methods as RPC calls them: parameters and results are held against their schemas. */
function methodsOf({ shadow, host }: ShadowedManager) {
  const methods = new Map(shadowMethods(shadow, host.manager).map((method) => [method.name, method]));
  return async (name: string, params: JsonObject = {}, tenant = TENANT) => {
    const method = methods.get(name);
    if (!method) throw new Error(`there is no method ${name}`);
    const principal = { name: "test", tenant, scopes: new Set(["operator"] as const) };
    const context: CallContext = {
      principal,
      transport: "inprocess",
      traceparent: null,
      signal: new AbortController().signal,
    };
    return method.result.parse(await method.call(context, method.params.parse(params))) as JsonObject;
  };
}

async function reasonOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  return error instanceof ContextdError ? error.reason : "none";
}

describe("shadow.report", () => {
  test("puts the live policy and the candidates side by side, in all and for each session", async () => {
    const side = new ShadowedManager({ "shadow.candidates": CANDIDATES });
    const call = methodsOf(side);
    await playRun(side.host, { session_id: "a", agent: "coder" });
    await playRun(side.host, { session_id: "b", agent: "coder", turns: 20 });
    await side.host.call("session.close", { session_id: "b" });
    await side.shadow.settled();
    const { policies, sessions } = (await call("shadow.report")) as unknown as {
      policies: { policy: string; line_recall: number; relative_cost: number; turns: number }[];
      sessions: { session_id: string; policies: JsonObject[] }[];
    };
    expect(policies).toMatchObject([
      { policy: "live", sessions: 2, turns: 81 },
      { policy: "fifo", sessions: 2, turns: 81 },
      { policy: "none", sessions: 2, turns: 81, line_recall: 1, value_recall: 1, edits: 0, edited_turns: 0 },
    ]);
    const [live, fifo, none] = policies;
    for (const each of [live, fifo]) {
      expect(each?.line_recall).toBeGreaterThan(0.1);
      expect(each?.line_recall).toBeLessThan(0.9);
      expect(each?.relative_cost).toBeLessThan(0.95);
    }
    expect(none?.relative_cost).toBeCloseTo(1, 2);
    expect(sessions).toMatchObject([
      { session_id: "a", agent: "coder", profile: "default-128k", ended: null, calls_behind: 0 },
      { session_id: "b", ended: "closed", calls_behind: 0 },
    ]);
    expect(sessions[1]?.policies).toMatchObject([
      { policy: "live", turns: 20 },
      { policy: "fifo", turns: 20, ended: null },
      { policy: "none", turns: 20, edits: 0 },
    ]);
    expect(await call("shadow.report", { session_id: "b" })).toMatchObject({ sessions: [{ session_id: "b" }] });
    expect(await call("shadow.report", {}, "another")).toEqual({ policies: [], sessions: [] });
    expect(await reasonOf(call("shadow.report", { session_id: "b" }, "another"))).toBe("session_not_found");
    await side.stop();
  });

  test("has no shares where there was nothing to share", async () => {
    const side = new ShadowedManager({ "shadow.candidates": CANDIDATES });
    await side.host.call("session.open", { session_id: "s" });
    await side.shadow.settled();
    const [live] = (await methodsOf(side)("shadow.report"))["policies"] as JsonObject[];
    expect(live).toMatchObject({ turns: 0, line_recall: null, value_recall: null, relative_cost: null });
    await side.stop();
  });
});

describe("shadow.watch", () => {
  test("takes an open session up, and shadow.unwatch lets it go; its figures stay", async () => {
    const side = new ShadowedManager();
    const call = methodsOf(side);
    await playRun(side.host, { turns: 10 });
    expect(await call("shadow.report")).toEqual({ policies: [], sessions: [] });
    expect(await call("shadow.watch", { session_id: "s" })).toEqual({ session_id: "s", policies: ["live"] });
    expect(await call("shadow.watch", { session_id: "s" })).toEqual({ session_id: "s", policies: ["live"] });
    await side.shadow.settled();
    for (const _ of [1, 2]) expect(await call("shadow.unwatch", { session_id: "s" })).toEqual({ session_id: "s" });
    await side.host.call("on_turn_start", { session_id: "s" });
    await side.host.call("on_turn_end", { session_id: "s", message: { role: "assistant", content: "More." } });
    await side.shadow.settled();
    expect(await call("shadow.report")).toMatchObject({
      policies: [{ policy: "live", sessions: 1, turns: 10 }],
      sessions: [{ session_id: "s", ended: "unwatched" }],
    });
    await side.stop();
  });

  test("knows no session that is not open, or another tenant's", async () => {
    const side = new ShadowedManager();
    const call = methodsOf(side);
    await side.host.call("session.open", { session_id: "s" });
    await call("shadow.watch", { session_id: "s" });
    for (const method of ["shadow.watch", "shadow.unwatch"]) {
      expect(await reasonOf(call(method, { session_id: "t" }))).toBe("session_not_found");
      expect(await reasonOf(call(method, { session_id: "s" }, "another"))).toBe("session_not_found");
    }
    await side.stop();
  });
});
