import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ContextdClient, type StreamEvent, subscribeEvents } from "../../src/client/index.ts";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { DaemonProcess, runCommand, startCommand } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What a demo must show, each kind at least once. */
const SHOWN = [
  "alert.raised",
  "alert.resolved",
  "block.evicted",
  "block.truncated",
  "budget.hard_exceeded",
  "checkpoint.saved",
  "delegation.closed",
  "delegation.opened",
  "fidelity.evaluated",
  "floor.detected",
  "history.compacted",
  "ledger.rebuilt",
  "note.written",
  "overflow.recovered",
  "overflow.reported",
  "recall.served",
  "regret.detected",
  "summary.rewritten",
  "task.updated",
  "usage.anchored",
  "velocity.spiked",
  "window.closed",
  "window.opened",
  "window.resized",
  "zone.changed",
];

const ZONES = ["green", "yellow", "orange", "red"];

/** Events from the daemon's first one on, until so many sessions are closed. */
async function eventsOf(url: string, types: readonly string[], sessions: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  let closed = 0;
  for await (const event of subscribeEvents(url, { types: [...types, "session.closed"], since: 0 })) {
    events.push(event);
    if (event.type === "contextd.session.closed.v1" && ++closed === sessions) break;
  }
  return events;
}

/** Zones in the order in which a session came to them for the first time. */
function climbs(events: readonly StreamEvent[]): Map<string, string[]> {
  const zones = new Map<string, string[]>();
  for (const { type, subject = "", data } of events) {
    if (type !== "contextd.zone.changed.v1") continue;
    const seen = zones.get(subject) ?? [String(data["from"])];
    if (!seen.includes(String(data["to"]))) seen.push(String(data["to"]));
    zones.set(subject, seen);
  }
  return zones;
}

describe("contextd demo", () => {
  it("takes its sessions from green into red, and closes them", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
    const args = ["demo", "--url", daemon.url, "--speed", "0", "--turns", "16", "--sessions", "4"];
    const types = ["zone.changed", "history.compacted", "overflow.*", "velocity.spiked", "usage.anchored"];
    const [events, result] = await Promise.all([eventsOf(daemon.url, types, 4), runCommand(args)]);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const zones = climbs(events);
    expect(zones.size).toBe(4);
    for (const [session, seen] of zones) expect(seen.at(-1), session).toBe("red");
    // Small windows may be filled by a third in one result, and then go by orange.
    const whole = [...zones.values()].filter((seen) => seen.join() === ZONES.join());
    expect(whole.length).toBeGreaterThanOrEqual(2);
    const kinds = new Set(events.map((event) => event.type));
    for (const type of ["history.compacted", "overflow.recovered", "velocity.spiked", "usage.anchored"]) {
      expect(kinds).toContain(`contextd.${type}.v1`);
    }
    expect(result.stdout).toMatch(/ to red, /);
    expect(result.stdout.match(/ finished$/gm)).toHaveLength(4);
    expect(await daemon.client.call("session.list", {}, { readOnly: true })).toMatchObject({ total: 0 });
  });

  it("shows the whole of what the daemon does, with the cast that it has by default", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
    // The eight of the cast, and the helper that one of them sends.
    const [events, result] = await Promise.all([
      eventsOf(daemon.url, SHOWN, 9),
      runCommand(["demo", "--url", daemon.url, "--speed", "0"]),
    ]);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const counts = new Map(SHOWN.map((type) => [type, 0]));
    for (const { type } of events) {
      const short = type.slice("contextd.".length, -".v1".length);
      counts.set(short, (counts.get(short) ?? 0) + 1);
    }
    for (const [type, count] of counts) expect(count, type).toBeGreaterThanOrEqual(1);
    const causes = events.filter(({ type }) => type === "contextd.window.opened.v1").map(({ data }) => data["cause"]);
    expect(causes).toContain("cross_window_save");
    const generations = events.flatMap(({ type, data }) =>
      type === "contextd.summary.rewritten.v1" ? [Number(data["generation"])] : [],
    );
    expect(Math.max(...generations)).toBeGreaterThanOrEqual(3);
    const report = await daemon.client.call<JsonObject>("status.report", {}, { readOnly: true });
    expect(report["cost_saved"]).toMatchObject({ share: expect.any(Number) });
    expect(report["regret"]).toMatchObject({ evicted: counts.get("block.evicted") });
  });

  it("leaves its sessions open with --keep, in more than one zone", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
    const args = ["demo", "--url", daemon.url, "--speed", "0", "--turns", "12", "--sessions", "12", "--keep"];
    const { code, stdout } = await runCommand(args);
    expect(code).toBe(0);
    expect(stdout.match(/ open$/gm)).toHaveLength(12);
    const list = await daemon.client.call<{ total: number; sessions: { zone: string; turn: number }[] }>(
      "session.list",
      {},
      { readOnly: true },
    );
    expect(list.total).toBe(12);
    expect(new Set(list.sessions.map(({ zone }) => zone)).size).toBeGreaterThanOrEqual(2);
    expect(new Set(list.sessions.map(({ turn }) => turn)).size).toBeGreaterThanOrEqual(3);
  });

  it("keeps its own daemon with --serve --keep until it is interrupted", async () => {
    const args = ["demo", "--serve", "--keep", "--url", "http://127.0.0.1:0", "--speed", "0", "--turns", "2"];
    const demo = startCommand([...args, "--sessions", "2"]);
    const url = await demo.output((stdout) => /the sessions stay open at (\S+):/.exec(stdout)?.[1] ?? null);
    expect(await new ContextdClient({ url }).call("session.list", {}, { readOnly: true })).toMatchObject({ total: 2 });
    demo.child.kill("SIGINT");
    expect(await demo.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("runs a daemon of its own with --serve, and records the same run for the same seed", async () => {
    using folder = temporaryFolder();
    const record = async (name: string) => {
      const to = join(folder.path, name);
      const args = ["--serve", "--url", "http://127.0.0.1:0", "--speed", "0", "--turns", "9", "--sessions", "2"];
      const { code, stderr } = await runCommand(["demo", ...args, "--seed", "5", "--record", to]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return Object.fromEntries(readdirSync(to).map((file) => [file, readFileSync(join(to, file), "utf8")]));
    };
    const [first, second] = [await record("first"), await record("second")];
    expect(Object.keys(first)).toEqual(["demo-code-reader-5.jsonl", "demo-reviewer-5.jsonl"]);
    expect(second).toEqual(first);
    for (const text of Object.values(first)) {
      const [metadata, ...messages] = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(metadata).toMatchObject({ family: "demo", n_messages: messages.length, n_assistant: 9 });
      expect(messageFormats.openai.check({ messages })).toEqual([]);
      expect(text).not.toContain(folder.path);
      expect(text).not.toContain(process.cwd());
    }
  });

  it("closes its sessions when it is interrupted, and ends with 0", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const demo = startCommand([
      "demo",
      "--url",
      daemon.url,
      "--speed",
      "20",
      "--turns",
      "9999",
      "--sessions",
      "4",
      "--keep",
    ]);
    await demo.output((stdout) => stdout.includes("to yellow"));
    demo.child.kill("SIGINT");
    const { code, stdout, stderr } = await demo.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/ interrupted$/gm)).toHaveLength(4);
    expect(await daemon.client.call("session.list", {}, { readOnly: true })).toMatchObject({ total: 0 });
  });

  it("says how to start a daemon when none answers, and ends with 1", async () => {
    using folder = temporaryFolder();
    const gone = await DaemonProcess.start({ data: folder.path });
    await gone.kill("SIGTERM");
    const { code, stdout, stderr } = await runCommand(["demo", "--url", gone.url]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      `contextd: no daemon answers at ${gone.url}: start one with \`contextd serve\`, or let the demo run its own with --serve\n`,
    );
  });

  it("calls with the token of a file, and fails without it", async () => {
    using folder = temporaryFolder();
    const token = "demo-token-Zq3vJ8rT1mXw6LbN0cKd9sPf";
    const tokens = folder.write(
      "tokens.json",
      JSON.stringify([{ name: "demo", tenant: "acme", scopes: ["agent"], token }]),
    );
    const tokenFile = folder.write("token", `${token}\n`);
    const env = { CONTEXTD_SERVER__AUTH__TOKENS_FILE: tokens };
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data"), env, token });
    const args = ["demo", "--url", daemon.url, "--speed", "0", "--turns", "2", "--sessions", "1"];
    expect((await runCommand([...args, "--token-file", tokenFile])).code).toBe(0);
    const refused = await runCommand(args);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("A token is needed");
  });

  it.each([
    ["--sessions", "0"],
    ["--turns", "many"],
    ["--speed", "-1"],
    ["--seed", "1.5"],
  ])("refuses %s %s with 2", async (flag, value) => {
    const { code, stdout, stderr } = await runCommand(["demo", flag, value]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(flag);
  });
});
