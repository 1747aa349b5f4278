import { describe, expect, test } from "vitest";
import type { ServeOptions } from "../../src/cli/serve.ts";
import { SetupError } from "../../src/server/options.ts";
import { UnusableStoreError } from "../../src/store/errors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { cliWith, FakeProcess } from "./cli-with.ts";

/** `serve` with a daemon that only keeps a record. */
function serveWith(argv: readonly string[], environment: Record<string, string> = {}) {
  const process = new FakeProcess();
  const calls: string[] = [];
  let started: (options: ServeOptions) => void = () => {};
  const options = new Promise<ServeOptions>((resolve) => {
    started = resolve;
  });
  const startDaemon = async (given: ServeOptions) => {
    calls.push("start");
    queueMicrotask(() => started(given));
    return {
      url: "http://127.0.0.1:4711",
      stop: async (reason: string) => void calls.push(`stop by ${reason}`),
      reload: async () => void calls.push("reload"),
    };
  };
  const done = cliWith(["serve", "--log-level", "silent", ...argv], { startDaemon, process, environment });
  return { process, calls, options, done };
}

describe("contextd serve", () => {
  test("prints the one line when it is ready, and stops by a signal with exit code 0", async () => {
    const { process, calls, options, done } = serveWith([]);
    await options;
    process.send("SIGTERM");
    expect(await done).toEqual({ exitCode: 0, stdout: "contextd listening on http://127.0.0.1:4711\n", stderr: "" });
    expect(calls).toEqual(["start", "stop by SIGTERM"]);
    expect(process.listening).toBe(0);
  });

  test("hands flags, file and environment to the daemon as one config", async () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "server: {port: 1, drain_timeout_ms: 5}\n");
    const argv = ["--config", file, "--host", "127.0.0.2", "--port", "0", "--data", "/d"];
    const { process, options, done } = serveWith(argv, { CONTEXTD_STORE__QUEUE: "7" });
    expect(await options).toMatchObject({
      config: { server: { host: "127.0.0.2", port: 0, drain_timeout_ms: 5 }, store: { path: "/d", queue: 7 } },
      configPath: file,
      dataDir: "/d",
    });
    process.send("SIGINT");
    await done;
  });

  test("keeps the flags over the file at a reload", async () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "eviction: {policy: lru}\n");
    const { process, options, done } = serveWith(["--config", file, "--port", "0"]);
    const { holder } = await options;
    folder.write("c.yaml", "eviction: {policy: fifo}\n");
    expect(await holder.reload()).toMatchObject({ successful: true, changed: ["eviction.policy"], restart: [] });
    expect(holder.current).toMatchObject({ eviction: { policy: "fifo" }, server: { port: 0 } });
    process.send("SIGTERM");
    await done;
  });

  test("changes the log's level at a reload", async () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "");
    const process = new FakeProcess();
    let given: ServeOptions | undefined;
    const startDaemon = async (options: ServeOptions) => {
      given = options;
      folder.write("c.yaml", "telemetry: {log: {level: silent}}\n");
      await options.holder.reload();
      queueMicrotask(() => process.send("SIGTERM"));
      return { url: "http://x", stop: async () => {}, reload: async () => {} };
    };
    await cliWith(["serve", "--config", file], { startDaemon, process });
    expect(given?.log.level).toBe("silent");
  });

  test.each([
    [["--port", "high"], "--port: server.port must be a whole number from 0 to 65535"],
    [["--port", "-1"], "--port: server.port"],
    [["--host", "0.0.0.0"], "--host: server.host is not a loopback address"],
    [["--log-level", "loud"], "--log-level: telemetry.log.level must be"],
    [["--config", "/nowhere.yaml"], "/nowhere.yaml: the config file cannot be read"],
  ])("%j is refused with exit code 2 before anything starts", async (argv, message) => {
    const { calls, done } = serveWith(argv);
    const { exitCode, stdout, stderr } = await done;
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(calls).toEqual([]);
  });

  test.each([
    [new SetupError("the tokens file is not valid"), 2, "contextd: the tokens file is not valid\n"],
    [
      new UnusableStoreError("The folder is in use.", "Stop the other daemon."),
      3,
      "contextd: The folder is in use. Stop the other daemon.\n",
    ],
    [
      new AggregateError([new UnusableStoreError("It is damaged.", "Restore it.")], "x"),
      3,
      "contextd: It is damaged. Restore it.\n",
    ],
    [
      Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE", port: 80, address: "127.0.0.1" }),
      1,
      "contextd: port 80 of 127.0.0.1 is in use: stop what listens there, or choose another\n",
    ],
    [new Error("something else"), 1, "contextd: something else\n"],
  ])("a start that fails with %o tells why", async (error, exitCode, stderr) => {
    const startDaemon = () => Promise.reject(error);
    expect(await cliWith(["serve", "--log-level", "silent"], { startDaemon })).toEqual({
      exitCode,
      stdout: "",
      stderr,
    });
  });
});
