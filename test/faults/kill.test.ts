import { describe, expect, it, type TestContext } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";
import { HookClient } from "../support/hook-client.ts";
import { expectNothingLost, HookOracle, type Verdict } from "../support/hook-oracle.ts";
import { percentile } from "../support/percentile.ts";
import { storeFolder } from "../support/store-folder.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const CYCLES = LONG ? 1000 : 80;
/** Cycles within which the control must have lost something. */
const CONTROL_CYCLES = 5;
const CLIENTS = 8;
/** Answers after which a daemon is warm: it has read its tables and every client has a session. */
const WARM_ANSWERS = 2 * CLIENTS;
/** From then, or from the daemon's start, to the kill, ms. */
const SHORTEST_MS = 20;
const LONGEST_MS = 140;
/** Three times the target of 2 s: machines that run tests are noisy. */
const READY_P99_MS = 6000;

interface Figures {
  readonly verdict: Verdict;
  readonly readyMs: readonly number[];
}

/** Cycles of start, work and SIGKILL on one data folder, then the oracle's judgement. */
async function cycles(count: number, env: Readonly<Record<string, string>> = {}): Promise<Figures> {
  const data = storeFolder();
  const oracle = new HookOracle();
  const clients = Array.from(
    { length: CLIENTS },
    (_, n) =>
      new HookClient({ name: `c${n}`, unanswered: n % 2 === 0 ? "retry" : "abandon", callsPerSession: 100 }, oracle),
  );
  const readyMs: number[] = [];
  for (let cycle = 0; cycle < count; cycle++) {
    const begun = performance.now();
    await using daemon = await DaemonProcess.start({ data, env });
    readyMs.push(performance.now() - begun);
    // Every fourth time the kill may come before anything was answered.
    await workUntilKilled(daemon, clients, cycle % 4 === 0 ? 0 : WARM_ANSWERS);
  }
  return { verdict: await oracle.judge(data), readyMs };
}

async function workUntilKilled(daemon: DaemonProcess, clients: readonly HookClient[], answers: number): Promise<void> {
  const killSoon = (): void => {
    setTimeout(() => daemon.signal("SIGKILL"), SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
  };
  if (answers === 0) killSoon();
  let left = answers;
  const onAnswer = (): void => {
    if (--left === 0) killSoon();
  };
  await Promise.all(clients.map((client) => client.work(daemon.url, onAnswer)));
  expect((await daemon.ended).signal).toBe("SIGKILL");
}

async function report({ annotate }: TestContext, { verdict, readyMs }: Figures): Promise<void> {
  const { calls, acknowledged, unanswered, stored, sessions } = verdict;
  const ready = [50, 99].map((share) => `p${share} ${percentile(readyMs, share).toFixed(0)}`).join(", ");
  await annotate(
    `${readyMs.length} kills: ${calls} calls in ${sessions} sessions, ${acknowledged} acknowledged, ${unanswered} unanswered, ${stored} stored; ready after ${ready} ms`,
  );
}

describe(`${CYCLES} times killed at a random moment while ${CLIENTS} clients call`, () => {
  it("the daemon loses nothing it has acknowledged, does nothing twice, and is soon back", async (context) => {
    const figures = await cycles(CYCLES);
    await report(context, figures);
    expectNothingLost(figures.verdict);
    expect(figures.verdict.acknowledged).toBeGreaterThan(CYCLES * CLIENTS);
    expect(figures.verdict.refused).toBe(0);
    expect(figures.verdict.unanswered).toBeGreaterThan(0);
    expect(percentile(figures.readyMs, 99)).toBeLessThan(READY_P99_MS);
  });
});

describe("the control, a daemon that answers before it commits", () => {
  it("loses what it has acknowledged", async (context) => {
    const figures = await cycles(CONTROL_CYCLES, { CONTEXTD_FAULTS: '{"unsafe":{"ackBeforeCommit":true}}' });
    await report(context, figures);
    expect(figures.verdict.lost.length).toBeGreaterThan(0);
  });
});
