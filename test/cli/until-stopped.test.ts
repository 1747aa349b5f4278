import { expect, test } from "vitest";
import { untilStopped } from "../../src/cli/until-stopped.ts";
import { silentLog } from "../../src/model/log.ts";
import { FakeProcess } from "./cli-with.ts";

/** Something that starts, reloads and stops when it is told to. */
function controlled() {
  const calls: string[] = [];
  const gate = () => {
    let open: () => void = () => {};
    const passed = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, passed };
  };
  const starting = gate();
  const stopping = gate();
  const start = async () => {
    await starting.passed;
    return {
      stop: async (reason: string) => {
        calls.push(`stop by ${reason}`);
        await stopping.passed;
      },
      reload: async () => void calls.push("reload"),
    };
  };
  return { calls, start, started: starting.open, stopped: stopping.open };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a signal stops what runs; it resolves when that has stopped", async () => {
  const process = new FakeProcess();
  const { calls, start, started, stopped } = controlled();
  let done = false;
  const running = untilStopped(process, silentLog, start).then(() => {
    done = true;
  });
  started();
  await settled();
  process.send("SIGINT");
  await settled();
  expect({ calls, done }).toEqual({ calls: ["stop by SIGINT"], done: false });
  stopped();
  await running;
  expect(process.exits).toEqual([]);
  expect(process.listening).toBe(0);
});

test("a second signal exits at once", async () => {
  const process = new FakeProcess();
  const { start, started, stopped } = controlled();
  const running = untilStopped(process, silentLog, start);
  started();
  await settled();
  process.send("SIGTERM");
  process.send("SIGTERM");
  expect(process.exits).toEqual([143]);
  process.send("SIGINT");
  expect(process.exits).toEqual([143, 130]);
  stopped();
  await running;
});

test("a signal during the start stops it as soon as it has started", async () => {
  const process = new FakeProcess();
  const { calls, start, started, stopped } = controlled();
  const running = untilStopped(process, silentLog, start);
  process.send("SIGTERM");
  started();
  stopped();
  await running;
  expect(calls).toEqual(["stop by SIGTERM"]);
});

test("SIGHUP reloads; before the end of the start it is kept until then", async () => {
  const process = new FakeProcess();
  const { calls, start, started, stopped } = controlled();
  const running = untilStopped(process, silentLog, start);
  process.send("SIGHUP");
  expect(calls).toEqual([]);
  started();
  await settled();
  process.send("SIGHUP");
  expect(calls).toEqual(["reload", "reload"]);
  process.send("SIGTERM");
  process.send("SIGHUP");
  stopped();
  await running;
  expect(calls).toEqual(["reload", "reload", "stop by SIGTERM"]);
});

test("a start that fails is told, and leaves no listener behind", async () => {
  const process = new FakeProcess();
  const running = untilStopped(process, silentLog, () => Promise.reject(new Error("in use")));
  await expect(running).rejects.toThrow("in use");
  expect(process.listening).toBe(0);
});

test("a reload that fails is logged and stops nothing", async () => {
  const process = new FakeProcess();
  const errors: string[] = [];
  const log = { ...silentLog, error: (_: object, message: string) => void errors.push(message) };
  const stop = async () => {};
  const running = untilStopped(process, log, async () => ({ stop, reload: () => Promise.reject(new Error("x")) }));
  await settled();
  process.send("SIGHUP");
  await settled();
  expect(errors).toEqual(["the reload failed"]);
  process.send("SIGTERM");
  await running;
});
