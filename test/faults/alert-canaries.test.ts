import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AlertReceiver } from "../support/alert-receiver.ts";
import { DaemonProcess, runCommand } from "../support/daemon-process.ts";
import { storeFolder } from "../support/store-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { prose, wire } from "../support/wire-messages.ts";

/** What agents say, and what opens the doors of receivers. */
const CONTENT = "CANARYq7x3CONTENT";
const SECRET = "CANARYq7x3SECRET";

describe("what alerts tell", () => {
  it("holds no content and no secret, nor do the log, the metrics and the record, whatever the receivers do", async () => {
    using folder = temporaryFolder();
    await using taking = await AlertReceiver.start();
    await using refusing = await AlertReceiver.start(() => "400");
    await using failing = await AlertReceiver.start((_body, index) => (index < 2 ? "redirect" : "500"));
    const secret = folder.write("secret", `${SECRET}\n`);
    const secretUrl = folder.write("url", `${failing.url}/${SECRET}?key=${SECRET}\n`);
    const telemetry = {
      alertmanager: { urls: [taking.url], basic_auth: { username: "contextd", password_file: secret } },
      webhooks: {
        own: { url: `${taking.url}?key=${SECRET}`, bearer_token_file: secret, headers: { "x-key": SECRET } },
        oncall: { template: "pagerduty", url: refusing.url, routing_key_file: secret },
        chat: { template: "slack", url_file: secretUrl },
        nobody: { url: `http://127.0.0.1:9/${SECRET}` },
        cloud: { url: `http://169.254.169.254/${SECRET}` },
      },
    };
    const config = folder.write("contextd.json", JSON.stringify({ telemetry }));
    const data = storeFolder();
    const args = ["--config", config, "--log-level", "trace"];
    await using daemon: DaemonProcess = await DaemonProcess.start({ data, args });
    const { client } = daemon;
    const session_id = "s";
    const system = `${CONTENT} ${prose(3_700, CONTENT)}`;
    await client.call("session.open", { session_id, model: "gpt-4o", max_context_tokens: 4_000, system });
    await client.call("on_turn_start", { session_id, messages: [wire.openai.user(`Mend ${CONTENT}.`)] });
    const call = { id: "c1", name: "run", input: { command: `cat ${CONTENT}` } };
    await client.call("on_turn_end", { session_id, message: wire.openai.answer("I look.", [call]) });
    await client.call("on_tool_result", {
      session_id,
      tool_call_id: "c1",
      tool_name: "run",
      content: prose(200, CONTENT),
    });
    await client.call("session.close", { session_id });
    const seen = (receiver: AlertReceiver, count: number) => receiver.until(() => receiver.received.length >= count);
    await Promise.all([seen(taking, 4), seen(refusing, 2), seen(failing, 3)]);
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(metrics).toMatch(/contextd_alert_deliveries_total\{sink="cloud",outcome="refused"\} [12]/);
    expect(metrics).toMatch(/contextd_alert_deliveries_total\{sink="oncall",outcome="refused"\} 2/);
    const { stdout, stderr } = await daemon.kill("SIGTERM");

    const bodies = [...taking.received, ...refusing.received, ...failing.received];
    expect(bodies.filter(({ text }) => text.includes(CONTENT))).toEqual([]);
    // The routing key goes to PagerDuty, in the body; the other secrets are in headers and addresses.
    const told = bodies.map(({ text, body }) => (body.routing_key === SECRET ? text.replace(SECRET, "") : text));
    expect(told.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(taking.received.some(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(true);

    const record = readFileSync(join(data, "alerts.json"), "utf8");
    expect(record).toContain("ContextFloorAboveRed");
    const printed = await runCommand(["print-config", "--config", config]);
    expect(printed.stdout).toContain("routing_key_file");
    for (const text of [stdout, stderr, metrics, record, printed.stdout]) {
      expect(text).not.toContain(CONTENT);
      expect(text).not.toContain(SECRET);
    }
    expect(stderr).toContain("alert raised");
  });
});
