import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { wire } from "../support/wire-messages.ts";

const session = { session_id: "local" };
/** Numbered lines, each different from all others. */
const LOG = Array.from({ length: 6_000 }, (_, line) => `${String(line).padStart(5, "0")} worker ${line % 7} took lease`)
  .join("\n")
  .slice(0, 200_000)
  .padEnd(200_000, ".");

async function answered(daemon: DaemonProcess, settings: JsonObject) {
  const { client } = daemon;
  const opened = { ...session, model: "gpt-4o", profile: "local-32k", can_recall: true, settings };
  await client.mutate("session.open", opened);
  await client.mutate("on_turn_start", { ...session, messages: [wire.openai.user("Find the lease that hangs.")] });
  const call = { id: "call_1", name: "bash", input: { command: "cat worker.log" } };
  await client.mutate("on_turn_end", { ...session, message: wire.openai.answer("I read the log.", [call]) });
  const result = { ...session, tool_call_id: call.id, tool_name: call.name, content: LOG };
  const reply = (await client.mutate("on_tool_result", result)) as JsonObject;
  return { client, reply, shown: reply["content"] as string };
}

describe("a daemon with a result of 200,000 characters in the profile local-32k", () => {
  it("keeps 8,000 characters of head and tail, counts what it left out, and has the original to the byte", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const { client, reply, shown } = await answered(daemon, {});
    expect(reply).toMatchObject({ action: "truncated", handle: expect.stringMatching(/^h-[0-9a-f]{12}$/) });
    expect(shown.length).toBeGreaterThan(7_500);
    expect(shown.length).toBeLessThanOrEqual(8_000);
    const [marker = ""] = /\[… .* …\]/.exec(shown) ?? [];
    const [head = "", tail = ""] = shown.split(marker);
    expect(LOG.startsWith(head.trimEnd())).toBe(true);
    expect(LOG.endsWith(tail.trimStart())).toBe(true);
    expect(Math.abs(head.length - tail.length)).toBeLessThan(200);
    const between = LOG.slice(head.length, LOG.length - tail.trimStart().length);
    const [, lines, tokens] = /([\d,]+) lines \(([\d,]+) tokens\) left out/.exec(marker) ?? [];
    expect(Number(lines?.replaceAll(",", ""))).toBe(between.split("\n").length - 1);
    const left = Number(reply["tokens_before"]) - Number(reply["tokens_after"]);
    expect(Math.abs(Number(tokens?.replaceAll(",", "")) - left)).toBeLessThan(60);
    expect(marker).toContain(`recall ${reply["handle"]}`);
    const recalled = (await client.call("content.recall", {
      ...session,
      handle: reply["handle"] ?? null,
    })) as JsonObject;
    expect(recalled["content"]).toBe(LOG);
  });

  it("keeps the head alone where the limit is too small for a tail", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const { shown } = await answered(daemon, { compression: { ingest_max_characters: 160 } });
    expect(shown.length).toBeLessThanOrEqual(160);
    expect(shown.startsWith(LOG.slice(0, 27))).toBe(true);
    expect(shown.endsWith("…]")).toBe(true);
  });
});
