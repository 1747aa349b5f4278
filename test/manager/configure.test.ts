import { describe, expect, it } from "vitest";
import { refused, TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

async function worked(host: TestManager, steps: number, from = 0): Promise<void> {
  for (let step = from; step < from + steps; step++) {
    const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("I look.", [call]) });
    const content = prose(250, `step ${step}`);
    await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
    await host.call("on_turn_start", session);
  }
}

async function opened(settings: Record<string, unknown> = {}): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 6_000, settings });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend the parser.")] });
  return host;
}

describe("session.configure", () => {
  it("changes the eviction policy of a running session", async () => {
    const host = await opened({ eviction: { policy: "none" } });
    await worked(host, 12);
    expect(host.published("block.evicted")).toEqual([]);
    await host.call("session.configure", { ...session, settings: { eviction: { policy: "fifo" } } });
    await worked(host, 2, 12);
    const policies = new Set(host.published("block.evicted").map(({ policy }) => policy));
    expect([...policies]).toEqual(["fifo"]);
  });

  it("keeps the new settings over a restart", async () => {
    const host = await opened({ eviction: { policy: "none" } });
    await host.call("session.configure", { ...session, settings: { eviction: { policy: "lru" } } });
    const after = await host.restarted();
    await worked(after, 14);
    expect(after.published("block.evicted").at(0)?.policy).toBe("lru");
    await after.manager.stop();
  });

  it("merges over what the session has, and answers what it has now", async () => {
    const host = await opened({ eviction: { policy: "fifo", keep_recent_units: 2 } });
    const reply = await host.call("session.configure", { ...session, settings: { eviction: { policy: "lru" } } });
    // Options are the policy's own: another policy starts from none.
    expect(reply.settings).toEqual({ eviction: { policy: "lru", keep_recent_units: 2, options: {} } });
  });

  it("measures anew under new thresholds, and says that these are the cause", async () => {
    const host = await opened();
    await worked(host, 4);
    const before = host.published("zone.changed").length;
    const { reading } = await host.call("session.configure", {
      ...session,
      settings: {
        pressure: { thresholds: { yellow: 0.05, orange: 0.5, red: 0.6 } },
        eviction: { target_utilization: 0.3 },
      },
    });
    expect(reading.zone).toBe("yellow");
    expect(host.published("zone.changed").slice(before)).toMatchObject([{ to: "yellow", cause: "configured" }]);
  });

  it("changes the window", async () => {
    const host = await opened();
    const { reading } = await host.call("session.configure", { ...session, settings: { max_context_tokens: 50_000 } });
    expect(reading.max_tokens).toBe(50_000);
    expect(host.published("window.resized")).toEqual([{ max_tokens: 50_000, learned_from: "configured" }]);
  });

  for (const [what, settings, path] of [
    ["an unknown policy", { eviction: { policy: "best" } }, "settings.eviction.policy"],
    ["an unknown key", { eviction: { polcy: "fifo" } }, "settings.eviction.polcy"],
    ["a value out of range", { pressure: { hysteresis: 7 } }, "settings.pressure.hysteresis"],
    [
      "an option that the policy does not have",
      { eviction: { policy: "fifo", options: { n: 3 } } },
      "settings.eviction.options",
    ],
    ["a section that is not a session's", { server: { port: 1 } }, "settings.server"],
  ] as const) {
    it(`refuses ${what}, names it, and changes nothing`, async () => {
      const host = await opened();
      const before = host.events.length;
      const error = await refused(host.call("session.configure", { ...session, settings }), "invalid_params");
      expect(error.data["path"]).toBe(path);
      expect(host.events.length).toBe(before);
      expect((await host.call("session.get", session)).settings).toEqual({});
    });
  }
});

describe("session.open", () => {
  it("refuses bad settings and an unknown profile by their paths", async () => {
    const host = new TestManager();
    const open = { ...session, settings: { eviction: { policy: "best" } } };
    expect((await refused(host.call("session.open", open), "invalid_params")).data["path"]).toBe(
      "settings.eviction.policy",
    );
    const profile = host.call("session.open", { ...session, profile: "no-such" });
    expect((await refused(profile, "invalid_params")).data["path"]).toBe("profile");
    await refused(host.call("context.get", session), "session_not_found");
  });

  it("lets the session's settings win over its profile's", async () => {
    const host = new TestManager();
    const opened = await host.call("session.open", { ...session, profile: "local-8k", model: "gpt-4o" });
    expect(opened.max_context_tokens).toBe(8_192);
    const own = { session_id: "own", profile: "local-8k", model: "gpt-4o", settings: { max_context_tokens: 5_000 } };
    expect((await host.call("session.open", own)).max_context_tokens).toBe(5_000);
    const given = { ...own, session_id: "given", max_context_tokens: 4_000 };
    expect((await host.call("session.open", given)).max_context_tokens).toBe(4_000);
  });
});
