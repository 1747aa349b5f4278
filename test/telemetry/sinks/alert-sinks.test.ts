import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/model/clock.ts";
import { AlertSinks, type FiringAlert } from "../../../src/telemetry/sinks/alert-sinks.ts";
import type { AlertNotice } from "../../../src/telemetry/sinks/notice.ts";
import { DeliveryError, type Destination } from "../../../src/telemetry/sinks/sink.ts";
import { RecordingLog } from "../../support/recording-log.ts";
import { memoryRecord, messagesOf, raised, resolved } from "./alert-events.ts";

const OPTIONS = {
  instance: "host-1",
  runbookBaseUrl: "docs/runbooks",
  dashboardBaseUrl: "http://localhost:3000/d/contextd-alerts",
  pageBaseUrl: "http://127.0.0.1:7420",
  queue: 100,
  concurrency: 4,
  retryForMs: 60_000,
  drainMs: 500,
};

/** A receiver in memory; `take` decides, and may hold a notice up. */
class Receiver implements Destination {
  readonly id: string = "test";
  readonly sink = "test";
  readonly severities = ["critical", "warning"] as const;
  readonly batch = 1;
  readonly timeoutMs = 500;
  readonly repeatMs: number | null = null;
  readonly told: string[] = [];
  readonly notices: AlertNotice[] = [];
  take: (notice: AlertNotice, attempt: number) => Promise<void> | void = () => undefined;
  #attempts = 0;
  #watchers: (() => void)[] = [];

  async deliver(notices: readonly AlertNotice[]): Promise<void> {
    const [notice] = notices as [AlertNotice];
    await this.take(notice, this.#attempts++);
    this.notices.push(notice);
    this.told.push(`${notice.labels["session"]} ${notice.alert} ${notice.status}`);
    for (const look of this.#watchers) look();
  }

  async until(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = () => this.told.length >= count && resolve();
      this.#watchers.push(look);
      look();
    });
  }
}

function sinksOf(destination: Destination, over: Partial<typeof OPTIONS> = {}, record = memoryRecord()) {
  const log = new RecordingLog();
  const deps = { destinations: [destination], record, clock: systemClock, log, random: () => 0.01 };
  return { sinks: new AlertSinks({ ...OPTIONS, ...over }, deps), log, record };
}

function firing(session: string, alert = "ContextOverflow"): FiringAlert {
  const labels = { agent: "code-fix", profile: "default-128k", model: "gpt-4o" };
  const rest = {
    severity: "critical" as const,
    tenant: "default",
    summary: "3900 of 4000 tokens.",
    turn: 7,
    at: 1_000,
  };
  return { ...labels, ...rest, alert, session };
}

describe("what is raised and resolved", () => {
  it("is told once each, in order, with one fingerprint and the labels of its raising", async () => {
    const receiver = new Receiver();
    const { sinks } = sinksOf(receiver);
    await sinks.start([]);
    const end = resolved("s1");
    sinks.observe([raised("s1"), { ...end, labels: { agent: "a", profile: "p", model: "another" } }, raised("s2")]);
    await receiver.until(3);
    await sinks.close();
    expect(receiver.told.filter((told) => told.startsWith("s1"))).toEqual([
      "s1 ContextOverflow firing",
      "s1 ContextOverflow resolved",
    ]);
    const [first, second] = receiver.notices.filter(({ labels }) => labels["session"] === "s1");
    expect(second?.fingerprint).toBe(first?.fingerprint);
    expect(second?.labels).toEqual(first?.labels);
    expect(first?.labels).toEqual({
      alertname: "ContextOverflow",
      severity: "critical",
      instance: "host-1",
      tenant: "default",
      session: "s1",
      agent: "code-fix",
      profile: "default-128k",
      model: "gpt-4o",
    });
    expect(first?.annotations).toEqual({
      summary: "ContextOverflow in session s1",
      description: "3900 of 4000 tokens.",
      runbook_url: "docs/runbooks/ContextOverflow.md",
      dashboard_url: "http://localhost:3000/d/contextd-alerts?var-profile=default-128k&var-session=s1",
      page_url: "http://127.0.0.1:7420/#/session/s1?alert=ContextOverflow&turn=7",
    });
    expect(second?.endsAt).toBeGreaterThanOrEqual(second?.startsAt ?? Number.POSITIVE_INFINITY);
    expect(sinks.figures()).toMatchObject([{ sink: "test", queued: 0, outcomes: { ok: 3, retried: 0 } }]);
  });

  it("is left out where the sink does not take its severity", async () => {
    const receiver = new Receiver();
    const { sinks } = sinksOf(receiver);
    await sinks.start([]);
    sinks.observe([raised("s1", "Chatter", "info"), raised("s2")]);
    await receiver.until(1);
    await sinks.close();
    expect(receiver.told).toEqual(["s2 ContextOverflow firing"]);
  });

  it("is sent again after a passing failure, in order, while other alerts overtake it", async () => {
    const receiver = new Receiver();
    let failures = 0;
    receiver.take = ({ labels, status }) => {
      if (labels["session"] === "s1" && status === "firing" && failures++ < 3) throw new Error("not now");
    };
    const { sinks, log } = sinksOf(receiver);
    await sinks.start([]);
    sinks.observe([raised("s1"), resolved("s1"), raised("s2")]);
    await receiver.until(3);
    await sinks.close();
    expect(receiver.told).toEqual([
      "s2 ContextOverflow firing",
      "s1 ContextOverflow firing",
      "s1 ContextOverflow resolved",
    ]);
    expect(messagesOf(log.lines)).toContain("warn alerts cannot be delivered now: they are sent again");
    expect(messagesOf(log.lines)).toContain("info alerts are delivered again");
    expect(sinks.figures()[0]?.outcomes.retried).toBeGreaterThan(0);
  });

  it("is not sent again after a refusal, and its end is told all the same", async () => {
    const receiver = new Receiver();
    let refusals = 0;
    receiver.take = ({ status }) => {
      if (status === "resolved") return;
      refusals += 1;
      throw new DeliveryError("no", { permanent: true, code: "400" });
    };
    const { sinks } = sinksOf(receiver);
    await sinks.start([]);
    sinks.observe([raised("s1"), resolved("s1")]);
    await receiver.until(1);
    await sinks.close();
    expect({ refusals, told: receiver.told }).toEqual({ refusals: 1, told: ["s1 ContextOverflow resolved"] });
  });

  it("is given up after the time to retry", async () => {
    const receiver = new Receiver();
    receiver.take = () => {
      throw new Error("not now");
    };
    const { sinks } = sinksOf(receiver, { retryForMs: 1 });
    await sinks.start([]);
    sinks.observe([raised("s1")]);
    await expect.poll(() => sinks.figures()[0]?.outcomes.given_up).toBe(1);
    await sinks.close();
  });

  it("returns at once while a sink hangs that heeds no signal, and goes on after its time limit", async () => {
    const receiver = new Receiver();
    receiver.take = (_notice, attempt) => (attempt === 0 ? new Promise(() => undefined) : undefined);
    const { sinks } = sinksOf(Object.assign(receiver, { timeoutMs: 200 }));
    await sinks.start([]);
    const before = performance.now();
    for (let n = 0; n < 50; n++) sinks.observe([raised(`s${n}`)]);
    expect(performance.now() - before).toBeLessThan(1_000);
    await expect.poll(() => new Set(receiver.told).size, { timeout: 10_000 }).toBe(50);
    await sinks.close();
  });
});

describe("a full queue", () => {
  it("drops what is superseded first, counts it, and still tells all that fires", async () => {
    const receiver = new Receiver();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    receiver.take = () => gate;
    const { sinks } = sinksOf(Object.assign(receiver, { timeoutMs: 60_000 }), { queue: 10, concurrency: 1 });
    await sinks.start([]);
    for (let n = 0; n < 8; n++) sinks.observe([raised(`old${n}`), resolved(`old${n}`)]);
    for (let n = 0; n < 12; n++) sinks.observe([raised(`new${n}`)]);
    expect(sinks.figures()[0]?.queued).toBe(10);
    const { superseded, overflow } = sinks.figures()[0]?.drops ?? { superseded: 0, overflow: 0 };
    expect(superseded).toBeGreaterThanOrEqual(6);
    expect(superseded + overflow).toBe(8 * 2 + 12 - 10);
    open();
    await expect
      .poll(() => new Set(receiver.told.filter((told) => told.startsWith("new"))).size, { timeout: 5_000 })
      .toBe(12);
    await sinks.close();
    expect(receiver.told.length).toBe(new Set(receiver.told).size);
  });
});

describe("a new run", () => {
  it("tells what fires and was not told, ends what no longer fires, and repeats nothing that was taken", async () => {
    const record = memoryRecord();
    const first = new Receiver();
    first.take = ({ labels }) => {
      if (labels["session"] === "untold") throw new Error("not now");
    };
    const before = sinksOf(first, { drainMs: 50 }, record);
    await before.sinks.start([]);
    before.sinks.observe([raised("told"), raised("ended"), raised("untold"), raised("missed")]);
    await first.until(3);
    await before.sinks.close();

    const second = new Receiver();
    const after = sinksOf(second, {}, record);
    // "missed" was told and resolved in the state; "unknown" fires by the state and stands in no record.
    await after.sinks.start([firing("told"), firing("untold"), firing("unknown")]);
    await second.until(4);
    await after.sinks.close();
    expect(second.told.sort()).toEqual([
      "ended ContextOverflow resolved",
      "missed ContextOverflow resolved",
      "unknown ContextOverflow firing",
      "untold ContextOverflow firing",
    ]);
    const fingerprint = (notices: readonly AlertNotice[], session: string) =>
      notices.find(({ labels }) => labels["session"] === session)?.fingerprint;
    expect(fingerprint(second.notices, "ended")).toBe(fingerprint(first.notices, "ended"));
    expect(JSON.parse(record.text ?? "").incidents).toHaveLength(3);
  });

  it("knows of an alert before any sink was told of it", async () => {
    const record = memoryRecord();
    const receiver = new Receiver();
    const seen: (string | null)[] = [];
    receiver.take = () => void seen.push(record.text);
    const { sinks } = sinksOf(receiver, {}, record);
    await sinks.start([]);
    sinks.observe([raised("s1")]);
    await receiver.until(1);
    await sinks.close();
    expect(seen[0]).toContain('"s1"');
  });

  it("tells again where its record cannot be read", async () => {
    const record = memoryRecord();
    record.text = "{not json";
    const receiver = new Receiver();
    const { sinks, log } = sinksOf(receiver, {}, record);
    await sinks.start([firing("s1")]);
    await receiver.until(1);
    await sinks.close();
    expect(messagesOf(log.lines)[0]).toMatch(/cannot be read/);
  });
});

describe("a sink that forgets", () => {
  it("is told again what fires, and no more once it has ended", async () => {
    const receiver = Object.assign(new Receiver(), { repeatMs: 20 });
    const { sinks } = sinksOf(receiver);
    await sinks.start([]);
    sinks.observe([raised("s1")]);
    await receiver.until(4);
    sinks.observe([resolved("s1")]);
    await expect.poll(() => receiver.told.at(-1)).toBe("s1 ContextOverflow resolved");
    const { length } = receiver.told;
    sinks.observe([raised("s2"), resolved("s2")]);
    await expect.poll(() => receiver.told.at(-1)).toBe("s2 ContextOverflow resolved");
    await sinks.close();
    expect(receiver.told.slice(length).filter((told) => told.startsWith("s1"))).toEqual([]);
  });
});
