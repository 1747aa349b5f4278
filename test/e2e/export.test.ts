import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ContextdClient } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { LONG_RUN, prepared } from "../replay/prepared.ts";
import { DaemonProcess, runCommand } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Drives a run through the hooks of a daemon, in a window so small that most of it is evicted. */
async function drive(client: ContextdClient, session_id: string, format: MessageFormatName): Promise<void> {
  const { messages, system } = prepared(LONG_RUN, format).conversation;
  await client.mutate("session.open", {
    session_id,
    agent: "driver",
    model: "gpt-4o",
    message_format: format,
    max_context_tokens: 8000,
    ...(system === undefined ? {} : { system }),
  });
  let fresh: JsonObject[] = [];
  let edits = 0;
  for (const message of messages) {
    if (message["role"] !== "assistant") {
      fresh.push(message);
      continue;
    }
    const reply = await client.mutate("on_turn_start", { session_id, messages: fresh });
    edits += (reply["applied"] as unknown[]).length;
    fresh = [];
    await client.mutate("on_turn_end", { session_id, message });
  }
  expect(edits).toBeGreaterThan(10);
}

describe("contextd export, as a process", () => {
  it("writes sessions that were driven over RPC as runs with the needs of their source, from daemon and folder alike", async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, "data");
    await using daemon = await DaemonProcess.start({ data });
    const exported = new Map<MessageFormatName, string>();
    for (const format of MESSAGE_FORMATS) {
      await drive(daemon.client, format, format);
      const file = join(folder.path, `${format}.jsonl`);
      const ending = await runCommand(["export", format, "--url", daemon.url, "-o", file]);
      expect(ending).toMatchObject({ code: 0, stdout: "", stderr: "" });
      expect(statSync(file).mode & 0o777, "for its owner alone").toBe(0o600);
      const text = readFileSync(file, "utf8");
      exported.set(format, text);
      expect(JSON.parse(text.split("\n")[0] as string)).toMatchObject({ id: format, family: "driver", format });
      expect(prepared(text, format).needs).toEqual(prepared(LONG_RUN, format).needs);
    }
    const args = ["-p", "plain_fifo", "-w", "6k", "--json"];
    const replay = await runCommand(["replay", join(folder.path, "openai.jsonl"), ...args]);
    expect(JSON.parse(replay.stdout)).toMatchObject({ runs: 1, failures: [], replays: [{ id: "openai" }] });
    const running = await runCommand(["export", "openai", "--data", data]);
    expect(running).toMatchObject({ code: 3, stdout: "" });
    expect(running.stderr).toContain("is in use by another process");
    await daemon.kill("SIGTERM");
    for (const [format, text] of exported) {
      expect(await runCommand(["export", format, "--data", data])).toMatchObject({ code: 0, stdout: text });
    }
  });

  it("leaves nothing behind when there is no such session", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
    const file = join(folder.path, "run.jsonl");
    const { code, stderr } = await runCommand(["export", "nobody", "--url", daemon.url, "-o", file]);
    expect(code).toBe(1);
    expect(stderr).toContain("There is no session nobody");
    expect(existsSync(file)).toBe(false);
  });
});
