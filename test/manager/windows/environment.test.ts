import { describe, expect, it } from "vitest";
import type { TestManager } from "../../support/manager.ts";
import { own, workedSession } from "../../support/windowed-session.ts";

const KNOWN = {
  cwd: "/srv/parser",
  branch: "main",
  commit: "1111111",
  files: { "a.ts": "aaaaaaa", "b.ts": "bbbbbbb" },
};
const tell = (host: TestManager, environment: object) => host.call("task.update", { ...own, environment });

/** A session whose environment is known, in a window of its own. */
async function inNewWindow(): Promise<TestManager> {
  const host = await workedSession({ steps: 8 });
  await tell(host, KNOWN);
  await host.call("window.open", own);
  return host;
}

describe("what an agent tells of its environment", () => {
  it("is held to nothing before a window changed", async () => {
    const host = await workedSession({ steps: 2 });
    expect((await tell(host, KNOWN)).verified).toBeNull();
    expect((await tell(host, { ...KNOWN, branch: "other" })).verified).toBeNull();
    expect(host.published("bootstrap.verified")).toEqual([]);
  });

  it("is held to what was known when the window began: what differs is drift", async () => {
    const host = await inNewWindow();
    const { verified } = await tell(host, { ...KNOWN, commit: "2222222" });
    expect(verified).toMatchObject({ drifted: ["commit"] });
    expect(verified?.passed).toBe((verified?.checks ?? 0) - 1);
    expect(host.published("bootstrap.verified")).toMatchObject([{ checkpoint_id: "c1", drifted: ["commit"] }]);
    // What was told is what is known from then on.
    expect((await host.call("task.get", own)).environment).toMatchObject({ commit: "2222222" });
  });

  it("passes where it is as it was", async () => {
    const host = await inNewWindow();
    const { verified } = await tell(host, KNOWN);
    expect(verified).toMatchObject({ drifted: [] });
    expect(verified?.passed).toBe(verified?.checks);
    expect(verified?.checks).toBeGreaterThanOrEqual(4);
  });

  it("is compared once in a window", async () => {
    const host = await inNewWindow();
    await tell(host, KNOWN);
    expect((await tell(host, { commit: "3333333" })).verified).toBeNull();
    expect(host.published("bootstrap.verified")).toHaveLength(1);
    await host.call("window.open", own);
    expect((await tell(host, { commit: "4444444" })).verified).toMatchObject({ checks: 1, drifted: ["commit"] });
  });

  it("is waited for where only what was not known is told", async () => {
    const host = await inNewWindow();
    expect((await tell(host, { database: "up" })).verified).toBeNull();
    expect((await tell(host, { branch: "main" })).verified).toMatchObject({ checks: 1, passed: 1 });
  });

  it("has a null for what is not known any more", async () => {
    const host = await inNewWindow();
    const { verified } = await tell(host, { branch: null, cwd: KNOWN.cwd });
    expect((await host.call("task.get", own)).environment).not.toHaveProperty("branch");
    // What is taken away is not there as it was, or is no check at all; it never passes.
    expect(verified?.passed).toBe(1);
  });

  it("is held to it after a resume, in another process too", async () => {
    const host = await workedSession({ steps: 2 });
    await tell(host, KNOWN);
    const next = await host.restarted();
    await next.call("session.open", { ...own, resume: true });
    const again = await next.restarted();
    expect((await tell(again, { branch: "other" })).verified).toMatchObject({
      checks: 1,
      passed: 0,
      drifted: ["branch"],
    });
    expect(again.published("bootstrap.verified")).toMatchObject([{ checkpoint_id: null }]);
  });
});
