import { describe, expect, it } from "vitest";
import type { ContextdClient } from "../../src/client/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { Influxd } from "../support/influxd.ts";
import { ADMIN_TOKEN, PushServer } from "../support/push-server.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

/** Stands for what an agent would not like to see on a screen. */
const CANARY = "canary-7f3a";

function pushing(server: PushServer, folder: TemporaryFolder): Promise<DaemonProcess> {
  const live = { url: server.url, token_file: folder.write("token", `${ADMIN_TOKEN}\n`), flush_ms: 20 };
  const config = folder.write("contextd.yaml", JSON.stringify({ telemetry: { grafana_live: live } }));
  return DaemonProcess.start({ data: `${folder.path}/data`, args: ["--config", config] });
}

/** A session that is filled until it is red, by calls of which each takes less than a second. Gives the slowest, ms. */
async function drive(client: ContextdClient, session_id: string): Promise<number> {
  const times: number[] = [];
  const call = async (method: string, params: Record<string, never> | object) => {
    const begun = performance.now();
    await client.mutate(method, { session_id, ...params } as never);
    times.push(performance.now() - begun);
  };
  await call("session.open", { agent: "filler", model: "gpt-4o", max_context_tokens: 8_192 });
  for (const tokens of [3_800, 1_900, 900]) {
    await call("context.append", { messages: [{ role: "user", content: `${CANARY} ${"word ".repeat(tokens)}` }] });
  }
  return Math.max(...times);
}

async function metric(daemon: DaemonProcess, name: string): Promise<string[]> {
  const text = await (await fetch(`${daemon.url}/metrics`)).text();
  return text.split("\n").filter((line) => line.startsWith(name));
}

describe("a daemon that pushes to Grafana Live", () => {
  it("pushes zone changes and windows, without content, in lines that InfluxDB takes", async () => {
    using folder = temporaryFolder();
    await using server = await PushServer.start();
    await using daemon = await pushing(server, folder);
    await drive(daemon.client, "watched");
    const of = (measurement: string) => server.lines.filter((line) => line.startsWith(measurement));
    await server.until(() => of("zone_event").length >= 3 && of("window").length >= 4);
    expect(of("zone_event").map((line) => /from="(\w+)",to="(\w+)"/.exec(line)?.slice(1).join("-"))).toEqual([
      "green-yellow",
      "yellow-orange",
      "orange-red",
    ]);
    expect(server.lines.join("\n")).not.toContain(CANARY);
    expect(await metric(daemon, "contextd_live_push_connected")).toContain(
      'contextd_live_push_connected{transport="websocket"} 1',
    );
    await using influxd = await Influxd.start();
    await influxd?.write(server.lines);
    expect(await daemon.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(server.connections).toBe(0);
  });

  it("answers hooks as ever while Grafana hangs, and ends in time", async () => {
    using folder = temporaryFolder();
    await using server = await PushServer.start();
    await using daemon = await pushing(server, folder);
    await drive(daemon.client, "before");
    await server.until(() => server.lines.length >= 3);
    server.hang();
    for (let n = 0; n < 20; n++) expect(await drive(daemon.client, `during-${n}`)).toBeLessThan(1_000);
    const begun = performance.now();
    expect(await daemon.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it("starts, and answers hooks, where there is no Grafana", async () => {
    using folder = temporaryFolder();
    const server = await PushServer.start();
    await server.kill();
    await using daemon = await pushing(server, folder);
    expect(await drive(daemon.client, "alone")).toBeLessThan(1_000);
    await daemon.logged("Grafana Live: no connection");
    expect(await metric(daemon, 'contextd_live_push_total{transport="websocket",outcome="unavailable"}')).toHaveLength(
      1,
    );
  });
});
