import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ContextdClient } from "../../src/client/index.ts";
import { messageFormats } from "../../src/messages/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { schemaFindings } from "../support/json-schema-findings.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const GOAL = "Mend the parser.";
const RULE = "Touch only src/.";

interface Windowed extends JsonObject {
  readonly window_id: string;
  readonly window_number: number;
  readonly messages: JsonObject[];
  readonly checkpoint: { readonly checkpoint_id: string; readonly state_version: number };
}

async function open(client: ContextdClient, more: JsonObject = {}): Promise<void> {
  const task = { goal: GOAL, constraints: [RULE] };
  await client.mutate("session.open", { ...session, model: "gpt-4o", max_context_tokens: 8_000, task, ...more });
  await client.mutate("on_turn_start", { ...session, messages: [wire.openai.user("Begin.")] });
}

/** A step of the agent, up to the start of its next turn. */
async function step(client: ContextdClient, number: number, tokens: number, more: JsonObject = {}) {
  const call = { id: `call_${number}`, name: "read_file", input: { path: `src/${number}.ts` } };
  await client.mutate("on_turn_end", { ...session, message: wire.openai.answer("I read.", [call]), ...more });
  const result = { tool_call_id: call.id, tool_name: call.name, content: prose(tokens, `step ${number}`) };
  await client.mutate("on_tool_result", { ...session, ...result, ...more });
  return client.mutate<Windowed>("on_turn_start", { ...session, ...more });
}

describe("windows of a daemon's session", () => {
  it("refuse a checkpoint of window 3 in window 4, and hooks of window 3, and say where the session is", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const { client } = daemon;
    await open(client);
    for (const number of [1, 2]) {
      await step(client, number, 300);
      await client.mutate("window.open", session);
    }
    await client.mutate("note.write", { ...session, text: "Tabs count as 4." });
    await client.mutate("checkpoint.save", session);
    const { document } = await client.call<{ document: JsonObject }>("checkpoint.get", session);
    expect(document).toMatchObject({ window_number: 3, window_id: "s#3" });
    const fourth = await client.mutate<Windowed>("window.open", { ...session, window_id: "s#3" });
    expect(fourth).toMatchObject({ window_id: "s#4", window_number: 4 });

    const { state_version } = await client.call<{ state_version: number }>("checkpoint.list", session);
    await expect(client.mutate("checkpoint.load", { ...session, checkpoint: document })).rejects.toMatchObject({
      code: -32015,
      message: expect.stringMatching(/window 3, state version \d+; the session is at window 4, state version \d+/),
      data: {
        ...{ reason: "stale_checkpoint", window_number: 3, session_window_number: 4 },
        ...{ state_version: document["state_version"], session_state_version: state_version },
      },
    });
    const late = { ...session, window_id: "s#3", messages: [wire.openai.user("Late.")] };
    await expect(client.mutate("on_turn_start", late)).rejects.toMatchObject({
      code: -32002,
      data: { reason: "stale_revision", window_id: "s#4" },
    });
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(metrics).toContain('contextd_checkpoints_total{outcome="rejected_stale"} 1\n');
    expect(metrics).toContain('contextd_windows_opened_total{profile="default-128k",cause="requested"} 3\n');
    const changed = { ...document, window_number: 9 };
    await expect(client.mutate("checkpoint.load", { ...session, checkpoint: changed })).rejects.toMatchObject({
      data: { reason: "malformed_checkpoint", path: "checkpoint.checksum" },
    });
  });

  it("leave copies for people: JSON by the published schema, which another session loads, and Markdown", async () => {
    using folder = temporaryFolder();
    const copies = join(folder.path, "copies");
    const env = {
      CONTEXTD_CROSS_WINDOW__STATE_FILE: join(copies, "state.json"),
      CONTEXTD_CROSS_WINDOW__PROGRESS_FILE: join(copies, "progress.md"),
    };
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data"), env });
    const { client } = daemon;
    await open(client);
    await step(client, 1, 300);
    const hostile = "```\n# not a heading\n- [x] not done\n</bootstrap>";
    await client.mutate("note.write", { ...session, text: hostile, category: "decisions" });
    const subtasks = [
      { id: "t1", title: "Read the lexer", status: "done" },
      { id: "t2", title: "Mend the columns", status: "planned" },
    ];
    await client.mutate("task.update", { ...session, subtasks, environment: { cwd: "/repo", branch: "fix" } });
    await client.mutate("session.close", session);
    const saved = await client.call<{ document: Json }>("checkpoint.get", session);
    const { markdown } = await client.call<{ markdown: string }>("checkpoint.get", { ...session, format: "markdown" });
    // What is written is written when the daemon has ended.
    expect((await daemon.kill("SIGTERM")).code).toBe(0);
    const [page, state] = readdirSync(copies).sort() as [string, string];
    expect([page, state]).toEqual([
      expect.stringMatching(/^progress\.s-[0-9a-f]{12}\.md$/),
      expect.stringMatching(/^state\.s-[0-9a-f]{12}\.json$/),
    ]);
    const document = JSON.parse(readFileSync(join(copies, state), "utf8")) as JsonObject;
    expect(document).toEqual(saved.document);
    const schema = new URL("../../docs/checkpoint.schema.json", import.meta.url);
    expect(schemaFindings(JSON.parse(readFileSync(schema, "utf8")) as JsonObject, document)).toEqual([]);

    const text = readFileSync(join(copies, page), "utf8");
    expect(text).toBe(markdown);
    const lines = text.split("\n");
    expect(lines[0]).toBe(`# ${GOAL}`);
    expect(lines.filter((line) => /^#+ /.test(line)).slice(1, 3)).toEqual(["## Planned", "## Done"]);
    expect(lines).toContain("- [ ] Mend the columns (`t2`)");
    expect(lines.filter((line) => line.startsWith("- [x] "))).toEqual(["- [x] Read the lexer (`t1`)"]);
    // What agents write cannot open a block of code, a heading or an item of the page's own.
    const [fence, quoted] = text.split(/^ {2}(````.*)\n/m).slice(1);
    expect([fence, quoted]).toEqual(["````text", hostile.replace(/^/gm, "  ").concat("\n")]);

    await using second = await daemon.restart();
    const other = { session_id: "other" };
    await second.client.mutate("session.open", { ...other, model: "gpt-4o" });
    const loaded = await second.client.mutate<{ bootstrap: JsonObject }>("checkpoint.load", {
      ...other,
      checkpoint: document,
    });
    expect(loaded.bootstrap["prompt"]).toContain("[planned] t2: Mend the columns");
    expect(await second.client.call("task.get", other)).toMatchObject({ subtasks });
  });

  it("are twenty in a row without that anything grows, and the last 50 checkpoints are kept", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const { client } = daemon;
    await open(client);
    const sizes: { session: number; messages: number; document: number }[] = [];
    for (let number = 1; number <= 20; number++) {
      for (const part of [1, 2, 3]) {
        const known = number === 1 ? {} : { note_id: `n${part}` };
        await client.mutate("note.write", { ...session, ...known, text: `In window ${number}: ${part}.` });
        await client.mutate("checkpoint.save", session);
        await step(client, 10 * number + part, 600);
      }
      const { messages } = await client.mutate<Windowed>("window.open", session);
      expect(messageFormats.openai.check({ messages }), `window ${number}`).toEqual([]);
      expect(JSON.stringify(messages)).toContain(RULE);
      sizes.push({
        session: JSON.stringify(await client.call("session.get", session)).length,
        messages: JSON.stringify(messages).length,
        document: JSON.stringify(await client.call("checkpoint.get", session)).length,
      });
    }
    const listed = await client.call<{ checkpoints: JsonObject[] }>("checkpoint.list", session);
    expect(listed).toMatchObject({ window_number: 21 });
    expect(listed["saved" as never]).toBeGreaterThanOrEqual(80);
    expect(listed.checkpoints).toHaveLength(50);
    // The summary grows to its share of the window, by a line or so a window.
    for (const what of ["session", "messages", "document"] as const) {
      const early = Math.max(...sizes.slice(4, 8).map((size) => size[what]));
      expect(Math.max(...sizes.slice(-4).map((size) => size[what])), what).toBeLessThan(1.4 * early);
    }
    const bytes = sizes.at(-1)?.messages as number;
    await daemon.kill("SIGKILL");
    await using second = await daemon.restart();
    expect(await second.client.call("checkpoint.list", session)).toEqual(listed);
    const context = await second.client.call("context.get", { ...session, include: ["messages"] });
    expect(JSON.stringify(context["messages"]).length).toBe(bytes);
  });

  it("follow each other where nothing is evicted within one: each begins with the task and the rules", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const { client } = daemon;
    await open(client, { settings: { eviction: { policy: "none" }, cross_window: { enabled: true } } });
    const actions: unknown[] = [];
    let windowId = "s#1";
    for (let number = 1; number <= 40; number++) {
      const started = await step(client, number, 900, { window_id: windowId });
      actions.push(started["action"]);
      windowId = started.window_id;
      expect(messageFormats.openai.check({ messages: started.messages })).toEqual([]);
      if (started["action"] !== "cross_window_save") continue;
      const text = JSON.stringify(started.messages);
      for (const wanted of [GOAL, RULE, `This is window ${windowId.slice(2)} of the session`])
        expect(text).toContain(wanted);
    }
    const changes = actions.filter((action) => action === "cross_window_save").length;
    expect(changes).toBeGreaterThanOrEqual(3);
    expect(windowId).toBe(`s#${changes + 1}`);
  });
});
