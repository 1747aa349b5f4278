import { describe, expect, it } from "vitest";
import { ContextdClient, NoAnswerError } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { storeFolder } from "../support/store-folder.ts";

const session_id = "parent";
const child = { session_id: "parent/d1" };
const OPEN = { session_id, title: "the flag", goal: "Find the flag.", idempotency_key: "open it" };
const REPORT = Array.from({ length: 6_000 }, (_, n) => `line ${n}: the flag is not in file_${n}.ts`).join("\n");
const CLOSE = { session_id, delegation_id: "d1", result: REPORT, idempotency_key: "close it" };

interface Closed {
  readonly result: string;
  readonly handle: string;
  readonly tokens_after: number;
  readonly ratio: number | null;
  readonly child: JsonObject | null;
}

function clientOf(daemon: DaemonProcess): ContextdClient {
  return new ContextdClient({ url: daemon.url, attempts: 1 });
}

async function openParent(client: ContextdClient): Promise<void> {
  await client.call("session.open", { session_id, model: "gpt-4o", can_recall: true, idempotency_key: "parent" });
}

/** Kills itself right behind the commit of that number: of the two sessions of a call, one has been stored. */
function killedBehind(commit: number) {
  return { CONTEXTD_FAULTS: JSON.stringify({ failpoint: "after_commit", passes: commit }) };
}

describe("a delegation over RPC", () => {
  it("gives the child a session, and the parent its result within 2,000 tokens and by its handle", async () => {
    await using daemon = await DaemonProcess.start({ data: storeFolder() });
    const client = clientOf(daemon);
    await openParent(client);
    const opened = await client.call<JsonObject>("delegation.open", OPEN);
    expect(opened).toMatchObject({ child_session_id: child.session_id, child: { resumed: false } });
    const messages = [{ role: "user", content: (opened["task"] as JsonObject)["prompt"] as string }];
    await client.mutate("on_turn_start", { ...child, messages });
    await client.mutate("on_turn_end", { ...child, message: { role: "assistant", content: REPORT } });
    const closed = await client.call<Closed>("delegation.close", CLOSE);
    expect(closed.tokens_after).toBeLessThanOrEqual(2000);
    expect(closed.result).toContain(`recall ${closed.handle}`);
    expect(closed.ratio).toBeGreaterThan(30);
    expect(await client.mutate("content.recall", { session_id, handle: closed.handle })).toMatchObject({
      content: REPORT,
    });
    const { sessions } = await client.call<{ sessions: JsonObject[] }>("session.list", {});
    expect(sessions.map((each) => each["session_id"])).toEqual([session_id]);
  });

  it("is completed by a retry after the daemon was killed between the two sessions, at its opening", async () => {
    const data = storeFolder();
    {
      // The parent's own opening is the first commit.
      await using daemon = await DaemonProcess.start({ data, env: killedBehind(2) });
      await openParent(clientOf(daemon));
      await expect(clientOf(daemon).call("delegation.open", OPEN)).rejects.toBeInstanceOf(NoAnswerError);
      expect((await daemon.ended).signal).toBe("SIGKILL");
    }
    await using daemon = await DaemonProcess.start({ data });
    const client = clientOf(daemon);
    await expect(client.call("session.get", child)).rejects.toMatchObject({ data: { reason: "session_not_found" } });
    const opened = await client.call<JsonObject>("delegation.open", OPEN);
    expect(opened).toMatchObject({ delegation_id: "d1", child: { resumed: false } });
    expect(await client.call("delegation.open", OPEN)).toEqual(opened);
    expect(await client.call("session.get", child)).toMatchObject({ parent: { session_id, delegation_id: "d1" } });
  });

  it("is completed by a retry after the daemon was killed between the two sessions, at its end", async () => {
    const data = storeFolder();
    {
      await using daemon = await DaemonProcess.start({ data, env: killedBehind(4) });
      await openParent(clientOf(daemon));
      await clientOf(daemon).call("delegation.open", OPEN);
      await expect(clientOf(daemon).call("delegation.close", CLOSE)).rejects.toBeInstanceOf(NoAnswerError);
      expect((await daemon.ended).signal).toBe("SIGKILL");
    }
    await using daemon = await DaemonProcess.start({ data });
    const client = clientOf(daemon);
    expect(await client.call("session.get", child)).toMatchObject({ closed: false });
    const closed = await client.call<Closed>("delegation.close", CLOSE);
    expect(closed.child).toMatchObject({ ...child, turns: 0 });
    expect(await client.call("delegation.close", CLOSE)).toEqual(closed);
    await expect(client.mutate("on_turn_start", child)).rejects.toMatchObject({ data: { reason: "session_closed" } });
    expect(await client.mutate("content.recall", { session_id, handle: closed.handle })).toMatchObject({
      content: REPORT,
    });
  });
});
