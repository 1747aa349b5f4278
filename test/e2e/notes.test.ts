import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "../noted" };
const lower = { ...session, target_utilization: 0.2 };

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

  it("stand in the context after a pass with the agent's own todo list, and so they do after a kill", async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, "data");
    const standing = async ({ client }: DaemonProcess) => {
      const reply = (await client.call("context.get", { ...session, include: ["messages"] })) as JsonObject;
      const texts = (reply["messages"] as JsonObject[]).map(({ content }) => String(content));
      return texts.filter((text) => text.startsWith("<standing "));
    };
    let shown: string[];
    {
      await using daemon = await DaemonProcess.start({ data });
      const { client } = daemon;
      await client.mutate("session.open", { ...session, model: "gpt-4o", max_context_tokens: 8_000 });
      await client.mutate("on_turn_start", { ...session, messages: [wire.openai.user("Mend the parser.")] });
      await client.mutate("note.write", { ...session, text: "Tabs count as 4.", category: "learnings" });
      await client.mutate("task.update", { ...session, next_step: "Run the suite with tabs." });
      const todos = [
        { content: "Read the lexer", status: "completed", activeForm: "Reading the lexer" },
        { content: "Mend the column count", status: "in_progress", activeForm: "Mending the column count" },
      ];
      await work(client, "call_0", "TodoWrite", { todos }, "Todos have been modified.");
      for (const step of [1, 2, 3])
        await work(client, `call_${step}`, "read_file", { path: `src/${step}.ts` }, prose(700, `step ${step}`));
      expect(await standing(daemon), "not before a pass").toEqual([]);
      const { tokens_freed } = (await client.mutate("context.compact", lower)) as JsonObject;
      expect(tokens_freed).toBeGreaterThan(500);
      shown = await standing(daemon);
      await daemon.kill("SIGKILL");
    }
    const wanted = ["Tabs count as 4.", "Run the suite with tabs.", "Read the lexer", "Mend the column count"];
    expect(shown).toHaveLength(1);
    for (const text of wanted) expect(shown[0]).toContain(text);
    await using daemon = await DaemonProcess.start({ data });
    expect(await standing(daemon)).toEqual(shown);
    const { client } = daemon;
    for (const step of [4, 5, 6])
      await work(client, `call_${step}`, "read_file", { path: `src/${step}.ts` }, prose(700, `step ${step}`));
    await client.mutate("context.compact", lower);
    for (const text of wanted) expect((await standing(daemon))[0]).toContain(text);
  });
});

/** A step of the agent, up to the start of its next turn. */
async function work(client: DaemonProcess["client"], id: string, name: string, input: JsonObject, content: string) {
  const message = wire.openai.answer("I go on.", [{ id, name, input }]);
  await client.mutate("on_turn_end", { ...session, message });
  await client.mutate("on_tool_result", { ...session, tool_call_id: id, tool_name: name, content });
  await client.mutate("on_turn_start", session);
}
