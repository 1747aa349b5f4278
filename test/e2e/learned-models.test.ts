import { describe, expect, it } from "vitest";
import { ContextdClient } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const model = "claude-sonnet-4-5";
const tokenOf = (tenant: string) => `token-of-${tenant}-0123456789-abcdefghij`;

interface Opened {
  readonly max_context_tokens: number;
  readonly window_source: { readonly from: string; readonly at: number | null };
}

const open = (client: ContextdClient, session_id: string, more: JsonObject = {}) =>
  client.mutate<Opened>("session.open", { session_id, model, message_format: "anthropic", ...more });

/** A turn of a session whose agent tells the window, and whose provider counts twice what the daemon does. */
async function turn(client: ContextdClient, session_id: string, window_tokens: number): Promise<void> {
  const messages = [{ role: "user", content: "Mend the parser, please. ".repeat(40) }];
  await client.mutate("on_turn_start", { session_id, messages, model_reported: { window_tokens } });
  const { raw_tokens } = await client.call<{ raw_tokens: number }>("context.get", { session_id, include: [] });
  const message = { role: "assistant", content: [{ type: "text", text: "Mended." }] };
  await client.mutate("on_turn_end", {
    session_id,
    message,
    usage: { input_tokens: 2 * raw_tokens, output_tokens: 3 },
  });
}

describe("a daemon whose config tells 200,000 and whose agent tells 131,072", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "opens the model's next sessions with 131,072 and says where it learned it, after %s too, for that tenant alone",
    async (signal) => {
      using folder = temporaryFolder();
      const tokens = ["acme", "globex"].map((tenant) => ({
        ...{ name: tenant, tenant, scopes: ["agent", "metrics"] },
        token: tokenOf(tenant),
      }));
      const env = {
        CONTEXTD_MAX_CONTEXT_TOKENS: "200000",
        CONTEXTD_SERVER__AUTH__TOKENS_FILE: folder.write("tokens.json", JSON.stringify({ tokens })),
      };
      const data = `${folder.path}/data`;
      await using first = await DaemonProcess.start({ data, env, token: tokenOf("acme") });
      expect(await open(first.client, "first")).toMatchObject({
        max_context_tokens: 200_000,
        window_source: { from: "profile", at: null },
      });
      const before = Date.now();
      await turn(first.client, "first", 131_072);
      const next = await open(first.client, "next");
      expect(next).toMatchObject({ max_context_tokens: 131_072, window_source: { from: "model_reported" } });
      expect(next.window_source.at).toBeGreaterThanOrEqual(before);
      for (const session_id of ["first", "next"]) await first.client.mutate("session.close", { session_id });
      const known = await first.client.call<JsonObject>("status.report", {});
      const { at } = next.window_source;
      expect(known["models"]).toMatchObject([{ model, window: 131_072, learned_from: "model_reported" }]);
      const metrics = await (
        await fetch(`${first.url}/metrics`, { headers: { authorization: `Bearer ${tokenOf("acme")}` } })
      ).text();
      expect(metrics).toContain(`contextd_windows_learned_total{model="${model}",learned_from="model_reported"} 1`);
      const [{ factor }] = known["models"] as [{ factor: number }];
      expect(factor).toBeGreaterThan(1.1);
      expect(metrics).toMatch(
        new RegExp(`^contextd_calibration_factor{model="${model}",tokenizer="\\w+"} ${factor}$`, "m"),
      );
      await first.kill(signal);

      await using second = await first.restart();
      expect(await open(second.client, "after")).toMatchObject({
        max_context_tokens: 131_072,
        window_source: { from: "model_reported", at },
      });
      const report = await second.client.call<JsonObject>("status.report", {});
      expect(report["models"]).toEqual(known["models"]);
      const globex = new ContextdClient({ url: second.url, token: tokenOf("globex"), attempts: 1 });
      expect(await open(globex, "theirs")).toMatchObject({ max_context_tokens: 200_000 });
      expect(await globex.call<JsonObject>("status.report", {})).toMatchObject({ models: [] });
    },
  );
});
