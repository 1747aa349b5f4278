import { describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/model/clock.ts";
import { strategy } from "../../src/model/strategy.ts";
import type { AlertNotice } from "../../src/telemetry/sinks/notice.ts";
import { SINKS } from "../../src/telemetry/sinks/registry.ts";
import type { SinkSettings } from "../../src/telemetry/sinks/sink.ts";
import { AlertReceiver } from "../support/alert-receiver.ts";
import { RecordingLog } from "../support/recording-log.ts";
import { settings, webhookAt } from "../telemetry/sinks/alert-events.ts";

const NOTICE: AlertNotice = {
  status: "firing",
  fingerprint: "0123456789abcdef0123456789abcdef",
  alert: "ContextOverflow",
  severity: "critical",
  labels: { alertname: "ContextOverflow", severity: "critical", session: "s1" },
  annotations: { summary: "s", description: "d", runbook_url: "r", dashboard_url: "u", page_url: "p" },
  turn: 3,
  startsAt: 1_000,
  endsAt: null,
};

/** Settings under which each kind delivers to the receiver; a new kind has no row, and fails. */
const ASKED: Readonly<Record<string, (url: string) => Partial<SinkSettings>>> = {
  alertmanager: (url) => ({ alertmanager: { ...settings().alertmanager, urls: [url] } }),
  webhook: (url) => ({ webhooks: { oncall: webhookAt(url) } }),
  log: () => ({ alert_log: { enabled: true, severities: ["critical"] } }),
  plugged: () => ({ alert_sinks: { mine: { severities: ["critical"], options: {} } } }),
};

describe.each(Object.entries(SINKS))("the sink %s", (name, open) => {
  const deps = () => {
    const log = new RecordingLog();
    const delivered: string[] = [];
    const mine = strategy("Mine.", z.strictObject({}), () => ({
      deliver: async (notices: readonly AlertNotice[]) => void delivered.push(...notices.map(({ alert }) => alert)),
    }));
    const readSecretFile = () => "secret";
    return { log, delivered, clock: systemClock, readSecretFile, plugged: { mine } };
  };

  it("opens nothing where nothing is asked for", () => {
    expect(open(settings(), deps())).toEqual([]);
  });

  it("delivers a notice and its end, with bounds of its own, and puts no address into its id", async () => {
    await using receiver = await AlertReceiver.start();
    const given = deps();
    const [destination, ...more] = open(settings(ASKED[name]?.(receiver.url)), given);
    expect(more).toEqual([]);
    if (!destination) throw new Error("no destination");
    expect(destination.timeoutMs).toBeGreaterThan(0);
    expect(destination.batch).toBeGreaterThan(0);
    expect(destination.sink).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(destination.id).not.toContain("127.0.0.1");
    await destination.deliver([NOTICE], new AbortController().signal);
    await destination.deliver([{ ...NOTICE, status: "resolved", endsAt: 2_000 }], new AbortController().signal);
    const seen = receiver.received.length + given.delivered.length + given.log.lines.length;
    expect(seen).toBe(2);
  });
});
