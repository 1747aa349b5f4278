import { connect, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { subscribeEvents } from "../../src/client/index.ts";
import { DaemonProcess, runCommand } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const HOOKS = ["on_turn_start", "on_turn_end", "on_tool_result", "on_overflow"];

/** A request of which the daemon has all but the last byte of the body: a call in flight. */
async function halfSent(port: number) {
  const body = '{"jsonrpc":"2.0","id":1,"method":"status.report"}';
  const socket = connect(port, "127.0.0.1");
  const answer = new Promise<string>((resolve, reject) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (data) => {
      text += data;
    });
    socket.once("error", reject).once("close", () => resolve(text));
  });
  const head = `POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  await new Promise<void>((sent) => socket.write(head + body.slice(0, -1), () => sent()));
  return { answer, finish: () => socket.write(body.slice(-1)), drop: () => socket.destroy() };
}

async function openSession(daemon: DaemonProcess, id: string) {
  return daemon.client.mutate<{ thresholds: Record<string, number> }>("session.open", {
    session_id: id,
    model: "gpt-4o",
    max_context_tokens: 16_384,
  });
}

describe("contextd serve, as a process", () => {
  it("prints one line on standard output, logs JSON on standard error, and ends with 0 on SIGTERM", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
    expect(daemon.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await openSession(daemon, "s");
    const { code, signal, stdout, stderr } = await daemon.kill("SIGTERM");
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(stdout).toBe(`contextd listening on ${daemon.url}\n`);
    const lines = stderr.trim().split("\n");
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
    expect(lines.at(-1)).toContain("stopped");
  });

  it("ends with 0 on SIGINT, as a terminal sends it", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    expect(await daemon.kill("SIGINT")).toMatchObject({ code: 0, signal: null });
  });

  it("answers what it had begun to receive before it ends: finished, or told to call again", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const call = await halfSent(daemon.port);
    expect((await fetch(`${daemon.url}/livez`)).status).toBe(200);
    daemon.signal("SIGTERM");
    await daemon.logged("contextd stops");
    call.finish();
    expect(await call.answer).toMatch(/^HTTP\/1\.1 (200|503) [\s\S]*"jsonrpc":"2\.0"[\s\S]*("result"|"draining")/);
    expect((await daemon.ended).code).toBe(0);
  });

  it("takes no new connections once it drains", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const call = await halfSent(daemon.port);
    expect((await fetch(`${daemon.url}/livez`)).status).toBe(200);
    daemon.signal("SIGTERM");
    await daemon.logged("contextd stops");
    const { port } = daemon;
    const refused = await new Promise<string | undefined>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve("connected"));
      socket
        .once("error", (error: NodeJS.ErrnoException) => resolve(error.code))
        .once("close", () => resolve("closed"));
    });
    expect(refused).toBe("ECONNREFUSED");
    call.drop();
    expect((await daemon.ended).code).toBe(0);
  });

  it("ends at once on a second SIGTERM, without waiting for the drain", async () => {
    using folder = temporaryFolder();
    const env = { CONTEXTD_SERVER__DRAIN_TIMEOUT_MS: "60000" };
    await using daemon = await DaemonProcess.start({ data: folder.path, env });
    const call = await halfSent(daemon.port);
    call.answer.catch(() => undefined);
    expect((await fetch(`${daemon.url}/livez`)).status).toBe(200);
    daemon.signal("SIGTERM");
    await daemon.logged("contextd stops");
    expect(await daemon.kill("SIGTERM")).toMatchObject({ code: 143, signal: null });
  });

  it("reads a good config again on SIGHUP, and keeps the old one when the new one is bad", async () => {
    using folder = temporaryFolder();
    const config = (yellow: number) => `pressure: {thresholds: {yellow: ${yellow}, orange: 0.6, red: 0.8}}\n`;
    const file = folder.write("contextd.yaml", config(0.3));
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data"), args: ["--config", file] });
    const stop = new AbortController();
    const events = subscribeEvents(daemon.url, { types: ["config.reloaded"], since: 0 }, { signal: stop.signal });
    expect((await openSession(daemon, "before")).thresholds).toMatchObject({ yellow: 0.3 });

    folder.write("contextd.yaml", config(0.4));
    daemon.signal("SIGHUP");
    expect((await events.next()).value).toMatchObject({ data: { successful: true } });
    expect((await openSession(daemon, "after-good")).thresholds).toMatchObject({ yellow: 0.4 });

    folder.write("contextd.yaml", "pressure: {thresholds: {yellow: often}}\n");
    daemon.signal("SIGHUP");
    const bad = (await events.next()).value;
    expect(bad).toMatchObject({ data: { successful: false, detail: expect.stringContaining("pressure.thresholds") } });
    expect((await openSession(daemon, "after-bad")).thresholds).toMatchObject({ yellow: 0.4 });
    stop.abort();
    expect((await daemon.kill("SIGTERM")).code).toBe(0);
  });

  it("answers the questions of health, Prometheus and of clients that discover it", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    await openSession(daemon, "s");
    const get = async (path: string) => {
      const response = await fetch(`${daemon.url}${path}`, { headers: { accept: "text/plain, application/json" } });
      return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
    };
    expect(await get("/livez")).toMatchObject({ status: 200, text: "ok\n" });
    expect(JSON.parse((await get("/readyz")).text)).toEqual({ ready: true, reasons: [] });
    expect(JSON.parse((await get("/healthz")).text)).toMatchObject({
      ready: true,
      sessions: 1,
      journal: { errors: 0 },
    });
    const metrics = await get("/metrics");
    expect(metrics).toMatchObject({ status: 200, type: expect.stringContaining("text/plain") });
    expect(metrics.text).toMatch(/^# TYPE contextd_sessions gauge$/m);
    expect(metrics.text).toMatch(/^contextd_build_info\{[^}]*version="/m);
    const openrpc = JSON.parse((await get("/openrpc.json")).text);
    expect(openrpc.methods.map((method: { name: string }) => method.name)).toEqual(expect.arrayContaining(HOOKS));
    expect(await daemon.client.call("rpc.discover", {}, { readOnly: true })).toEqual(openrpc);
    expect(await get("/nothing")).toMatchObject({ status: 404, text: expect.stringContaining("not_found") });
  });
});

describe("contextd serve that cannot start", () => {
  const refusals: readonly (readonly [what: string, args: readonly string[], words: readonly string[]])[] = [
    ["an unknown flag", ["serve", "--prot", "1"], ["--prot", "Did you mean --port"]],
    ["an unknown command", ["sreve"], ["sreve", "Did you mean serve"]],
    ["a port that is no number", ["serve", "--port", "high"], ["server.port", "0 to 65535"]],
    ["a port out of range", ["serve", "--port", "70000"], ["server.port", "0 to 65535"]],
    ["an open address without tokens", ["serve", "--host", "0.0.0.0", "--port", "0"], ["server.host", "tokens_file"]],
    ["a config that is not there", ["serve", "--config", "nowhere.yaml"], ["nowhere.yaml", "cannot be read"]],
  ];
  it.each(refusals)("ends with 2 for %s, and says so in one line", async (_what, args, words) => {
    using folder = temporaryFolder();
    const { code, stdout, stderr } = await runCommand([
      ...args,
      ...(args[0] === "serve" ? ["--data", folder.path] : []),
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  const configs: readonly (readonly [what: string, yaml: string, words: readonly string[]])[] = [
    ["an unknown key", "evicton: {policy: lru}\n", ["evicton", "eviction"]],
    ["a value that is not legal", "eviction: {policy: best}\n", ["eviction.policy", "hybrid", "lru"]],
    ["a number out of range", "pressure: {hysteresis: 7}\n", ["pressure.hysteresis"]],
    ["a value of another kind", "store: {queue: [1]}\n", ["store.queue", "whole number"]],
    ["text that is no YAML", "server: {port: 1\n", ["c.yaml:2:1"]],
  ];
  it.each(configs)("ends with 2 for a config with %s, names key and legal values", async (_what, yaml, words) => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", yaml);
    for (const args of [
      ["check-config", file],
      ["serve", "--config", file, "--port", "0", "--data", folder.path],
    ]) {
      const { code, stdout, stderr } = await runCommand(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      for (const word of [file, ...words]) expect(stderr).toContain(word);
    }
  });

  it("ends with 1 when the port is in use", async () => {
    using folder = temporaryFolder();
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
    });
    try {
      const { code, stdout, stderr } = await runCommand(["serve", "--port", String(port), "--data", folder.path]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
    } finally {
      taken.close();
    }
  });

  it("ends with 3 when its data folder is another daemon's, which goes on", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const { code, stdout, stderr } = await runCommand(["serve", "--port", "0", "--data", folder.path]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("in use by another process");
    await openSession(daemon, "s");
    expect((await daemon.kill("SIGTERM")).code).toBe(0);
  });

  const stores: readonly (readonly [what: string, file: string, content: string, words: string])[] = [
    ["is no database", "contextd.db", "this was a database once. ".repeat(400), "damaged"],
    ["is empty", "contextd.db", "", "its content is lost"],
  ];
  it.each(stores)("ends with 3 when the store's file %s, with the cure", async (_what, name, content, words) => {
    using folder = temporaryFolder();
    folder.write(name, content);
    const { code, stdout, stderr } = await runCommand(["serve", "--port", "0", "--data", folder.path]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr).toContain("Restore the folder from a backup");
  });
});
