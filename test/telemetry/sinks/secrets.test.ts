import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/model/clock.ts";
import { openAlertSinks } from "../../../src/telemetry/sinks/index.ts";
import { AlertReceiver } from "../../support/alert-receiver.ts";
import { RecordingLog } from "../../support/recording-log.ts";
import { memoryRecord, raised, settings, webhookAt } from "./alert-events.ts";

function openWith(over: Parameters<typeof settings>[0], readSecretFile: (file: string) => string) {
  const log = new RecordingLog();
  const sinks = openAlertSinks(settings(over), {
    clock: systemClock,
    log,
    readSecretFile,
    plugged: {},
    record: memoryRecord(),
  });
  return { sinks, log };
}

describe("secrets of sinks", () => {
  it("are read again before each request, and a file that is being replaced is waited for", async () => {
    await using receiver = await AlertReceiver.start();
    let secret: string | null = "first";
    const read = () => {
      if (secret === null) throw new Error("ENOENT");
      return secret;
    };
    const { sinks } = openWith({ webhooks: { own: webhookAt(receiver.url, { bearer_token_file: "token" }) } }, read);
    await sinks.start([]);
    sinks.observe([raised("a")]);
    await receiver.until(() => receiver.received.length === 1);
    secret = null;
    sinks.observe([raised("b")]);
    await expect.poll(() => sinks.figures()[0]?.outcomes.retried).toBeGreaterThan(0);
    secret = "second";
    await receiver.until(() => receiver.received.length === 2);
    await sinks.close();
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer second"]);
  });

  it("open Alertmanager with user and password", async () => {
    await using receiver = await AlertReceiver.start();
    const basic_auth = { username: "contextd", password_file: "password" };
    const alertmanager = { ...settings().alertmanager, urls: [`${receiver.url}/`], basic_auth };
    const { sinks } = openWith({ alertmanager }, () => "pass:word\n");
    await sinks.start([]);
    sinks.observe([raised("a")]);
    await receiver.until(() => receiver.received.length === 1);
    await sinks.close();
    const [request] = receiver.received;
    expect(request?.path).toBe("/hook/api/v2/alerts");
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from("contextd:pass:word").toString("base64")}`);
  });

  it.each([
    ["cannot be read", () => ""],
    ["holds more than one word", () => "two words"],
  ])("fail the start where a file %s, by the setting's name", (_why, read) => {
    const webhooks = { own: webhookAt("http://localhost:1", { bearer_token_file: "/some/file" }) };
    expect(() => openWith({ webhooks }, read)).toThrow(/telemetry\.webhooks\.own\.bearer_token_file/);
    expect(() => openWith({ webhooks }, read)).not.toThrow(/some\/file/);
  });

  it("never go to a link-local address, and that is not tried again", async () => {
    const webhooks = { own: webhookAt("http://[fe80::1]/hook") };
    const { sinks, log } = openWith({ webhooks }, () => "x");
    await sinks.start([]);
    sinks.observe([raised("a")]);
    await expect.poll(() => sinks.figures()[0]?.outcomes.refused).toBe(1);
    await sinks.close();
    expect(log.text).toContain("denied_address");
    expect(log.text).not.toContain("fe80");
  });
});
