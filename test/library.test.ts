import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ContextWindowManager } from "../src/index.ts";

let manager: ContextWindowManager;
beforeAll(async () => {
  manager = await ContextWindowManager.open();
});
afterAll(() => manager.close());

describe("the manager in process", () => {
  it("answers as the daemon does", async () => {
    await manager.call("session.open", { session_id: "s", model: "gpt-4o" });
    const { messages, action } = await manager.call("on_turn_start", {
      session_id: "s",
      messages: [{ role: "user", content: "Mend the parser." }],
    });
    expect(messages).toEqual([{ role: "user", content: "Mend the parser." }]);
    expect(action).toBe("none");
  });

  it("delegates to sessions of their own", async () => {
    await manager.call("session.open", { session_id: "p", model: "gpt-4o" });
    const subtask = { session_id: "p", title: "the flag", goal: "Find the flag.", idempotency_key: "k" };
    const opened = await manager.call("delegation.open", subtask);
    expect(opened).toMatchObject({ child_session_id: "p/d1", child: { session_id: "p/d1", resumed: false } });
    expect(await manager.call("delegation.open", subtask)).toEqual(opened);
    await manager.call("delegation.close", { session_id: "p", delegation_id: "d1", result: "Line 12." });
    await expect(manager.call("on_turn_start", { session_id: "p/d1" })).rejects.toMatchObject({
      reason: "session_closed",
    });
  });

  it("refuses what does not fit with a stable reason and a sentence that names the place", async () => {
    const call = manager.call("session.open", { session_id: "t", model: "gpt-4o", modle: 1 } as never);
    await expect(call).rejects.toMatchObject({ reason: "invalid_params", data: { path: "modle" } });
  });

  it("names the calls that there are when asked for another", async () => {
    const call = manager.call("on_turn_begin" as never, {} as never);
    await expect(call).rejects.toMatchObject({
      reason: "method_not_found",
      message: expect.stringContaining("on_turn_start"),
    });
  });
});
