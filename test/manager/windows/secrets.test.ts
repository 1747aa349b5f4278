import { describe, expect, it } from "vitest";
import { own, workedSession, workStep } from "../../support/windowed-session.ts";

const SECRET = "sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2m3N4";
const TASK = {
  goal: `Mend the client; its key is ${SECRET}.`,
  success_criteria: [`It answers with ${SECRET}.`],
  constraints: [`Never print ${SECRET}.`],
} as const;

/** A session that was told a secret wherever something can be told. */
async function told() {
  const host = await workedSession({ open: { task: TASK } });
  for (let step = 0; step < 6; step++) await workStep(host, step);
  await host.call("task.update", {
    ...own,
    subtasks: [{ id: "t1", title: `Try ${SECRET}`, note: `With ${SECRET}.` }],
    decisions: [{ decision: `Take ${SECRET}.`, rationale: `${SECRET} works.`, alternatives: [`No ${SECRET}.`] }],
    open_issues: [`${SECRET} expires.`],
    learnings: [`${SECRET} is long.`],
    environment: { cwd: "/srv", env: { API_KEY: SECRET }, "key-file": SECRET },
    next_step: `Change ${SECRET}.`,
  });
  await host.call("note.write", { ...own, text: `The key: ${SECRET}` });
  return host;
}

describe("a secret that the agent told", () => {
  it("is in no checkpoint, as JSON or as Markdown", async () => {
    const host = await told();
    await host.call("checkpoint.save", own);
    for (const format of ["json", "markdown"]) {
      expect(JSON.stringify(await host.call("checkpoint.get", { ...own, format }))).not.toContain(SECRET);
    }
  });

  it("stays in the session byte for byte: the task and its constraints are the agent's", async () => {
    const host = await told();
    const before = await host.call("task.get", own);
    await host.call("checkpoint.save", own);
    for (let step = 6; step < 12; step++) {
      const { messages } = await host.call("window.open", own);
      expect(JSON.stringify(messages)).toContain(TASK.constraints[0]);
      await workStep(host, step);
    }
    expect(await host.call("task.get", own)).toEqual(before);
    expect((await host.session("s")).taskState).toEqual(host.live("s").taskState);
    expect(before).toMatchObject(TASK);
  });

  it("does not come back with the checkpoint into a session that was told the same task: its own words stand", async () => {
    const host = await told();
    await host.call("session.close", own);
    const later = { session_id: "later" };
    await host.call("session.open", { ...later, task: TASK });
    const { bootstrap } = await host.call("checkpoint.load", { ...later, from_session: "s" });
    expect(await host.call("task.get", later)).toMatchObject(TASK);
    expect((await host.call("task.get", later)).next_step).toBe("Change [masked].");
    expect(bootstrap?.prompt).toContain(TASK.constraints[0]);
  });
});
