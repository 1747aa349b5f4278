import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ContextdClient, NoAnswerError } from "../../src/client/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { effectText, expectNothingLost, HookOracle } from "../support/hook-oracle.ts";
import { storeFolder } from "../support/store-folder.ts";

/** Callers at a time, so that a commit has rows of several sessions. */
const CALLERS = 4;
/** Calls of one caller: many more than any failpoint within a call needs. */
const CALLS = 400;
/** Before a checkpoint: all callers' texts make more than the MiB of log that is worth one, then there must be a pause. */
const NOISY_CALLS = 12;
/** Bytes of a text that deflates to about as much. */
const NOISE_BYTES = 32 * 1024;

interface Order {
  readonly failpoint: string;
  readonly passes: number;
  readonly delay_ms?: number;
  readonly unsafe?: object;
}

function faults(order: Order): { CONTEXTD_FAULTS: string } {
  return { CONTEXTD_FAULTS: JSON.stringify(order) };
}

/** Calls until the daemon is gone, or until there is enough for a checkpoint. */
async function callUntilGone(url: string, caller: number, oracle: HookOracle, noisy: boolean): Promise<void> {
  const client = new ContextdClient({ url, attempts: 1 });
  for (let n = 0; n < (noisy ? NOISY_CALLS : CALLS); n++) {
    const id = `f${caller}.${n}`;
    const text = effectText(id, noisy ? randomBytes(NOISE_BYTES).toString("base64") : "");
    const params = { session_id: `s${caller}`, idempotency_key: id };
    try {
      const answer =
        n === 0
          ? await client.call("session.open", { ...params, system: text })
          : await client.call("context.append", { ...params, text });
      oracle.note(id, "acknowledged", answer);
    } catch (error) {
      oracle.note(id, error instanceof NoAnswerError ? "unanswered" : "refused");
      return;
    }
  }
}

/** The data folder after a daemon has died of the order, and what its clients know. */
async function afterDeath(order: Order): Promise<{ data: string; oracle: HookOracle }> {
  const data = storeFolder();
  const oracle = new HookOracle();
  const noisy = order.failpoint === "mid_checkpoint";
  await using daemon = await DaemonProcess.start({ data, env: faults(order) });
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => callUntilGone(daemon.url, caller, oracle, noisy)));
  expect((await daemon.ended).signal, "the failpoint was reached").toBe("SIGKILL");
  return { data, oracle };
}

const ORDERS: readonly Order[] = [
  ...["mid_row", "before_commit", "after_commit"].flatMap((failpoint) =>
    [1, 7, 40].map((passes) => ({ failpoint, passes })),
  ),
  ...[0, 1, 4].map((delay_ms) => ({ failpoint: "mid_checkpoint", passes: 1, delay_ms })),
];

describe("killed at a failpoint", () => {
  it.each(ORDERS)("the daemon has all that it acknowledged, and serves on: %j", async (order) => {
    const { data, oracle } = await afterDeath(order);
    const verdict = await oracle.judge(data);
    expectNothingLost(verdict);
    expect(verdict.refused).toBe(0);
    if (order.failpoint !== "mid_checkpoint") expect(verdict.unanswered).toBeGreaterThan(0);

    await using next = await DaemonProcess.start({ data });
    for (let caller = 0; caller < CALLERS; caller++) {
      const answer = await next.client.call("session.open", { session_id: `s${caller}`, resume: true });
      expect(answer["revision"]).toBeGreaterThanOrEqual(0);
    }
  });

  it.each([1, 2, 3])("while it makes its schema, the next start makes it anew: time %i", async () => {
    const data = storeFolder();
    const order = faults({ failpoint: "mid_migration", passes: 1 });
    await expect(DaemonProcess.start({ data, env: order })).rejects.toThrow(/ended before/);
    await using next = await DaemonProcess.start({ data });
    await next.client.call("session.open", { session_id: "s" });
  });
});

describe("the control, a daemon without transactions", () => {
  it("leaves a call in part", async () => {
    const { data, oracle } = await afterDeath({ failpoint: "mid_row", passes: 7, unsafe: { skipTransaction: true } });
    expect((await oracle.judge(data)).broken).toEqual([expect.stringContaining("the hash chain breaks")]);
  });
});
