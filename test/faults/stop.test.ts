import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { DaemonProcess, runCommand } from "../support/daemon-process.ts";
import { HookClient } from "../support/hook-client.ts";
import { expectNothingLost, HookOracle } from "../support/hook-oracle.ts";
import { percentile } from "../support/percentile.ts";
import { storeFolder } from "../support/store-folder.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const CYCLES = LONG ? 200 : 20;
const CLIENTS = 8;
/** Answers after which all clients are at work. */
const WARM_ANSWERS = 3 * CLIENTS;
const EXIT_MS = 10_000;
/** Three times the target of 2 s. */
const REFUSED_MS = 6000;

function hookClients(oracle: HookOracle): HookClient[] {
  return Array.from(
    { length: CLIENTS },
    (_, n) => new HookClient({ name: `c${n}`, unanswered: n < 4 ? "retry" : "abandon", callsPerSession: 60 }, oracle),
  );
}

/** Lets the clients work until they have had so many answers; then `then` is called while they go on. */
function atWork(daemon: DaemonProcess, clients: readonly HookClient[], then: () => void): Promise<unknown> {
  let left = WARM_ANSWERS;
  const onAnswer = (): void => {
    if (--left === 0) then();
  };
  return Promise.all(clients.map((client) => client.work(daemon.url, onAnswer)));
}

/** A WebSocket to the path; `closed` is the code it is closed with. */
async function open(daemon: DaemonProcess, path: string): Promise<{ socket: WebSocket; closed: Promise<number> }> {
  const socket = new WebSocket(`${daemon.url.replace("http", "ws")}${path}`);
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return { socket, closed };
}

describe(`${CYCLES} times told to stop while ${CLIENTS} clients call and others listen`, () => {
  it("the daemon drains, says goodbye, ends with 0 in time, and has all it acknowledged", async ({ annotate }) => {
    const data = storeFolder();
    const oracle = new HookOracle();
    const clients = hookClients(oracle);
    const stopMs: number[] = [];
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      await using daemon = await DaemonProcess.start({ data });
      const subscriber = await open(daemon, "/events");
      const caller = await open(daemon, "/ws");
      let answered = 0;
      caller.socket.on("message", () => answered++);
      let toldAt = 0;
      await atWork(daemon, clients, () => {
        caller.socket.send('{"jsonrpc":"2.0","id":1,"method":"session.list"}', () => {
          toldAt = performance.now();
          daemon.signal("SIGTERM");
        });
      });
      const { code, stderr } = await daemon.ended;
      stopMs.push(performance.now() - toldAt);
      expect(code).toBe(0);
      expect([await subscriber.closed, await caller.closed]).toEqual([1001, 1001]);
      expect(answered, "calls answered on the WebSocket").toBe(1);
      expect(stderr).not.toContain('"level":"error"');
      // An orderly stop leaves nothing to check.
      expect(stderr).not.toContain("orderly stop");
    }
    const verdict = await oracle.judge(data);
    await annotate(
      `${CYCLES} stops, ${verdict.acknowledged} calls acknowledged; stopped after p50 ${percentile(stopMs, 50).toFixed(0)}, at most ${Math.max(...stopMs).toFixed(0)} ms`,
    );
    expectNothingLost(verdict);
    // None was cut off: what was taken up was answered; what came later found nobody, or was told to come again.
    expect(verdict).toMatchObject({ unansweredYetStored: [], refused: 0 });
    expect(Math.max(...stopMs)).toBeLessThan(EXIT_MS);
  });
});

describe("a second daemon on the same data folder", () => {
  it("ends soon with 3 and one line that says why, and the first goes on", async () => {
    const data = storeFolder();
    const oracle = new HookOracle();
    await using first = await DaemonProcess.start({ data });
    let second: ReturnType<typeof runCommand> | null = null;
    let tookMs = 0;
    await atWork(first, hookClients(oracle), () => {
      const begun = performance.now();
      second = runCommand(["serve", "--port", "0", "--data", data]);
      void second.then(() => {
        tookMs = performance.now() - begun;
        first.signal("SIGTERM");
      });
    });
    const { code, stdout, stderr } = await (second as unknown as ReturnType<typeof runCommand>);
    expect(code).toBe(3);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^contextd: The data folder \S+ is in use by another process\. .*--data\.\n$/);
    expect(tookMs).toBeLessThan(REFUSED_MS);
    expect((await first.ended).code).toBe(0);
    expectNothingLost(await oracle.judge(data));
  });

  it("is refused while the first one hangs, and let in as soon as that was killed", async () => {
    const data = storeFolder();
    await using first = await DaemonProcess.start({ data });
    await first.client.call("session.open", { session_id: "s" });
    first.signal("SIGSTOP");
    expect(await runCommand(["serve", "--port", "0", "--data", data])).toMatchObject({ code: 3 });
    await first.kill("SIGKILL");
    await using next = await DaemonProcess.start({ data });
    expect(await next.client.call("session.get", { session_id: "s" })).toMatchObject({ session_id: "s" });
  });
});
