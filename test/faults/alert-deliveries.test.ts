import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/model/clock.ts";
import { openAlertSinks } from "../../src/telemetry/sinks/index.ts";
import { AlertReceiver, type ReceivedNotice, type ReceiverFault } from "../support/alert-receiver.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { RecordingLog } from "../support/recording-log.ts";
import { storeFolder } from "../support/store-folder.ts";
import { prose, wire } from "../support/wire-messages.ts";
import { memoryRecord, raised, resolved, settings, webhookAt } from "../telemetry/sinks/alert-events.ts";

const ALERTS = process.env["CONTEXTD_LONG"] === "1" ? 1_000 : 200;
/** The webhook hangs for some of them, four at a time. */
const DEADLINE_MS = 300 * ALERTS;
const FAULTS: readonly ReceiverFault[] = ["hang", "500", "429", "reset", "redirect", "slow", "lost", "ok", "400", "ok"];

/** `session status`, of a notice in contextd's own form. */
const what = ({ body }: ReceivedNotice): string => `${body.labels.session} ${body.status}`;

/** What must arrive: each alert, and its end. */
const due = (ids: readonly string[]): string[] => ids.flatMap((id) => [`${id} firing`, `${id} resolved`]).sort();

function counted(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

describe(`${ALERTS} alerts and a webhook that fails in all ways`, () => {
  it("misses none, repeats what lost its reply alone, and sends nothing again that was refused", async ({
    annotate,
  }) => {
    let turn = 0;
    // Every first attempt meets the next fault; the others go through.
    const tried = new Set<string>();
    await using receiver = await AlertReceiver.start((body) => {
      const id = `${body.labels.session} ${body.status}`;
      if (tried.has(id)) return "ok";
      tried.add(id);
      return FAULTS[turn++ % FAULTS.length] as ReceiverFault;
    });
    const sinks = openAlertSinks(
      settings({ webhooks: { oncall: webhookAt(receiver.url, { timeout_ms: 2_500 }) } }, { concurrency: 32 }),
      {
        clock: systemClock,
        log: new RecordingLog(),
        readSecretFile: () => "",
        plugged: {},
        record: memoryRecord(),
      },
    );
    await sinks.start([]);
    const ids = Array.from({ length: ALERTS }, (_, n) => `s${n}`);
    for (const id of ids) sinks.observe([raised(id)]);
    await receiver.until(() => receiver.taken.length >= ALERTS / 2, DEADLINE_MS);
    for (const id of ids) sinks.observe([resolved(id)]);
    await receiver.until(() => new Set(receiver.taken.map(what)).size === 2 * ALERTS, DEADLINE_MS);
    await expect.poll(() => sinks.figures()[0]?.queued).toBe(0);
    await sinks.close();

    const taken = counted(receiver.taken.map(what));
    expect([...taken.keys()].sort()).toEqual(due(ids));
    // Faults are answered after the notice is taken, or not at all: what hung may count as taken by nobody but us.
    const lost = new Set(receiver.received.filter(({ fault }) => fault === "lost").map(what));
    const repeated = [...taken].filter(([, times]) => times > 1).map(([id]) => id);
    expect(repeated.filter((id) => !lost.has(id))).toEqual([]);
    const refused = receiver.received.filter(({ fault }) => fault === "400").map(what);
    expect(refused.length).toBeGreaterThan(ALERTS / 10);
    expect(refused.filter((id) => (taken.get(id) ?? 0) > 1)).toEqual([]);
    // In order: an end never comes before its beginning.
    const order = receiver.taken.map(what);
    for (const id of ids) expect(order.indexOf(`${id} firing`)).toBeLessThan(order.indexOf(`${id} resolved`));
    for (const { text } of receiver.received) expect(text.length).toBeLessThan(2_000);
    await annotate(`${receiver.received.length} requests, ${repeated.length} repeats after ${lost.size} lost replies`);
  });
});

describe("the same webhook, and sinks that send nothing again", () => {
  it("miss alerts: the control of the test above", async () => {
    await using receiver = await AlertReceiver.start((_body, index) => FAULTS[(index % 3) + 1] as ReceiverFault);
    const webhooks = { oncall: webhookAt(receiver.url) };
    const sinks = openAlertSinks(settings({ webhooks }, { retry_for_ms: 0 }), {
      clock: systemClock,
      log: new RecordingLog(),
      readSecretFile: () => "",
      plugged: {},
      record: memoryRecord(),
    });
    await sinks.start([]);
    for (let n = 0; n < 20; n++) sinks.observe([raised(`s${n}`)]);
    await expect.poll(() => sinks.figures()[0]?.outcomes.given_up).toBe(20);
    await sinks.close();
    expect(receiver.taken).toEqual([]);
  });
});

const KILLS = 6;
const PER_LIFE = 12;
const WINDOW = 4_000;

async function overfill(daemon: DaemonProcess, session_id: string): Promise<void> {
  const { client } = daemon;
  const system = prose(3_700, "rule");
  await client.call("session.open", { session_id, model: "gpt-4o", max_context_tokens: WINDOW, system });
  await client.call("on_turn_start", { session_id, messages: [wire.openai.user("Mend the parser.")] });
}

describe(`a daemon killed ${KILLS} times between sending an alert and writing down that it was sent`, () => {
  it("tells every alert and every end at least once, by one fingerprint, and repeats only what the kill left open", async ({
    annotate,
  }) => {
    const data = storeFolder();
    let killAt = Number.POSITIVE_INFINITY;
    let kill: () => void = () => undefined;
    await using receiver = await AlertReceiver.start((_body, index) => {
      // The notice is taken, the reply is lost with the daemon.
      if (index >= killAt) {
        kill();
        return "lost";
      }
      return "ok";
    });
    const webhooks = { oncall: { url: receiver.url, timeout_ms: 2_000 } };
    const env = { CONTEXTD_TELEMETRY__WEBHOOKS: JSON.stringify(webhooks) };
    const ids: string[] = [];
    let inFlight = 0;
    for (let life = 0; life < KILLS; life++) {
      await using daemon: DaemonProcess = await DaemonProcess.start({ data, env });
      killAt = receiver.received.length + 3 + life;
      kill = () => daemon.signal("SIGKILL");
      for (let n = 0; n < PER_LIFE; n++) {
        const id = `life${life}-${n}`;
        try {
          await overfill(daemon, id);
          ids.push(id);
          // One of an earlier life ends, so that ends are cut off, too.
          const ended = `life${life - 1}-${n}`;
          if (n % 2 === 0 && ids.includes(ended)) await daemon.client.call("session.close", { session_id: ended });
        } catch {
          break;
        }
      }
      await daemon.ended;
      inFlight += 1;
    }
    killAt = Number.POSITIVE_INFINITY;
    await using daemon = await DaemonProcess.start({ data, env });
    for (const id of ids) await daemon.client.call("session.close", { session_id: id }).catch(() => undefined);
    await receiver.until(() => due(ids).every((id) => receiver.received.some((notice) => what(notice) === id)));
    expect((await daemon.kill("SIGTERM")).code).toBe(0);

    const seen = counted(receiver.received.map(what));
    const repeats = [...seen.values()].reduce((sum, times) => sum + times - 1, 0);
    // At most the deliveries of the 100 ms before a kill, and what was under way.
    expect(repeats).toBeLessThanOrEqual(inFlight * (KILLS + 3 + 4));
    const byAlert = new Map<string, Set<string>>();
    for (const { body } of receiver.received) {
      const { session } = body.labels;
      byAlert.set(session, (byAlert.get(session) ?? new Set()).add(body.fingerprint));
    }
    expect([...byAlert.values()].filter((fingerprints) => fingerprints.size !== 1)).toEqual([]);
    expect(new Set([...byAlert.values()].flatMap((fingerprints) => [...fingerprints])).size).toBe(byAlert.size);
    await annotate(`${ids.length} alerts, ${receiver.received.length} requests, ${repeats} repeats in ${KILLS} kills`);
  }, 120_000);
});
