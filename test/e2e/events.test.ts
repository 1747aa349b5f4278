import { describe, expect, it } from "vitest";
import { type ContextdClient, type StreamEvent, subscribeEvents } from "../../src/client/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ZONE_CHANGED = "contextd.zone.changed.v1";

async function open(client: ContextdClient, session_id: string): Promise<void> {
  await client.mutate("session.open", { session_id, agent: "filler", model: "gpt-4o", max_context_tokens: 8_192 });
}

/** A user's message of about so many tokens: "word " is one. */
async function say(client: ContextdClient, session_id: string, tokens: number): Promise<void> {
  const messages = [{ role: "user", content: "word ".repeat(tokens) }];
  await client.mutate("context.append", { session_id, messages });
}

async function take(events: AsyncIterator<StreamEvent>, count: number): Promise<StreamEvent[]> {
  const taken: StreamEvent[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done) throw new Error(`the stream ended after ${taken.length} of ${count} events`);
    taken.push(next.value);
  }
  return taken;
}

const changes = (events: readonly StreamEvent[]) => events.map(({ data }) => `${data["from"]}-${data["to"]}`);

describe("/events of a daemon", () => {
  it("tells of a zone that a call has changed, with its session, its labels and its figures", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const stop = new AbortController();
    const filters = { types: ["zone.changed"], session: "watched", since: 0 };
    const events = subscribeEvents(daemon.url, filters, { signal: stop.signal });
    const first = take(events, 3);
    for (const id of ["watched", "other"]) {
      await open(daemon.client, id);
      for (const tokens of [3_800, 1_900, 900]) await say(daemon.client, id, tokens);
    }
    const told = await first;
    expect(changes(told)).toEqual(["green-yellow", "yellow-orange", "orange-red"]);
    for (const event of told) {
      expect(event).toMatchObject({ type: ZONE_CHANGED, subject: "watched", agent: "filler", model: "gpt-4o" });
      expect(event.data).toMatchObject({
        cause: "growth",
        tokens: expect.any(Number),
        utilization: expect.any(Number),
      });
    }
    const sequences = told.map((event) => event.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    stop.abort();
  });

  it("resumes behind the last event seen: none is missed, none comes twice", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    await open(daemon.client, "s");
    const before = new AbortController();
    const first = subscribeEvents(daemon.url, { types: ["zone.changed"], since: 0 }, { signal: before.signal });
    await say(daemon.client, "s", 3_800);
    const [seen] = await take(first, 1);
    before.abort();

    // While nobody listens.
    await say(daemon.client, "s", 1_900);
    const after = new AbortController();
    const since = seen?.sequence ?? 0;
    const second = subscribeEvents(daemon.url, { types: ["zone.changed"], since }, { signal: after.signal });
    const missed = take(second, 2);
    await say(daemon.client, "s", 900);
    expect(changes([seen as StreamEvent, ...(await missed)])).toEqual(["green-yellow", "yellow-orange", "orange-red"]);
    after.abort();
  });

  it("says so when the daemon cannot resume there, as after a restart that lost its ring", async () => {
    using folder = temporaryFolder();
    await using first = await DaemonProcess.start({ data: folder.path });
    await open(first.client, "s");
    await say(first.client, "s", 3_800);
    await first.kill("SIGTERM");

    await using second = await first.restart();
    const stop = new AbortController();
    const events = subscribeEvents(second.url, { types: ["zone.changed"], since: 1 }, { signal: stop.signal });
    const told = take(events, 2);
    const [resync] = await take(subscribeEvents(second.url, { since: 1 }, { signal: stop.signal }), 1);
    expect(resync).toMatchObject({
      type: "contextd.stream.resync.v1",
      data: { reason: "too_old", requested_sequence: 1 },
    });
    await say(second.client, "s", 1_900);
    const [again, change] = await told;
    expect(again?.type).toBe("contextd.stream.resync.v1");
    expect(change).toMatchObject({ type: ZONE_CHANGED, subject: "s", data: { from: "yellow", to: "orange" } });
    expect(change?.sequence).toBeGreaterThan(resync?.sequence ?? 0);
    stop.abort();
  });
});
