import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const session = { session_id: "../noted" };

describe("notes and task of a daemon", () => {
  it("are after a kill what they were, and the notes are copied to the file that the config names, not the session", async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, "data");
    const copies = join(folder.path, "copies");
    const env = { CONTEXTD_COMPRESSION__NOTES_FILE: join(copies, "notes.md") };
    const settings = { compression: { notes_file: join(folder.path, "mine.md") } };
    let told: unknown[];
    {
      await using daemon = await DaemonProcess.start({ data, env });
      const { client } = daemon;
      await client.mutate("session.open", { ...session, model: "gpt-4o", settings, task: { goal: "Mend it." } });
      await client.mutate("note.write", { ...session, text: "We use A.\nNot B.", category: "decisions" });
      await client.mutate("task.update", { ...session, subtasks: [{ id: "t1", title: "Read", status: "done" }] });
      told = [await client.call("note.list", session), await client.call("task.get", session)];
      await daemon.kill("SIGKILL");
    }
    await using daemon = await DaemonProcess.start({ data, env });
    const { client } = daemon;
    expect([await client.call("note.list", session), await client.call("task.get", session)]).toEqual(told);
    expect(told).toMatchObject([{ total: 1 }, { version: 1, goal: "Mend it.", subtasks: [{ status: "done" }] }]);
    await client.mutate("note.write", { ...session, text: "And C.", importance: "high" });
    expect((await daemon.kill("SIGTERM")).code).toBe(0);
    const files = readdirSync(copies);
    expect(files).toEqual([expect.stringMatching(/^notes\.___noted-[0-9a-f]{12}\.md$/)]);
    expect(readFileSync(join(copies, files[0] ?? ""), "utf8")).toBe(
      '# Notes of "../noted"\n\n## n2 (misc, high)\n\nAnd C.\n\n## n1 (decisions, normal)\n\nWe use A.\nNot B.\n',
    );
    expect(readdirSync(folder.path)).not.toContain("mine.md");
  });
});
