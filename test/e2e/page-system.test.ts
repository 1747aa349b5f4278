import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium } from "../support/chromium.ts";
import { DaemonProcess, runCommand } from "../support/daemon-process.ts";
import { SOON } from "../support/open-page.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SECRETS = [
  "sk-planted-0123456789abcdef",
  "https://hooks.example.test/services/planted-path",
  "planted-header-value",
];
const CONFIG = `
llm:
  summarizer:
    api: openai-chat
    base_url: https://models.example.test/v1
    model: small-helper
    api_key: ${SECRETS[0]}
    headers: { x-gateway-key: ${SECRETS[2]} }
telemetry:
  webhooks:
    pager: { template: slack, url: "${SECRETS[1]}" }
`;
/** Folder for screenshots, to be looked at; none: they are taken and thrown away. */
const SHOTS = process.env["CONTEXTD_SHOTS"];

const folder = temporaryFolder();
const complaints: string[] = [];
const pages: Page[] = [];
let browser: Browser;
let daemon: DaemonProcess;

beforeAll(async () => {
  if (!hasChromium) return;
  browser = await launchChromium();
  const config = folder.write("contextd.yaml", CONFIG);
  daemon = await DaemonProcess.start({ data: join(folder.path, "data"), args: ["--config", config] });
  await runCommand(["demo", "--url", daemon.url, "--speed", "0", "--turns", "14", "--sessions", "8", "--keep"]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await daemon?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
  expect(complaints.splice(0)).toEqual([]);
});

interface Opening {
  readonly width?: number;
  readonly scheme?: "dark" | "light";
  readonly url?: string;
  readonly before?: (page: Page) => Promise<void>;
}

async function open({ width = 1440, scheme = "dark", url = daemon.url, before }: Opening = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 1000 }, colorScheme: scheme });
  pages.push(page);
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.stack}`));
  await before?.(page);
  await page.goto(`${url}/#/system`);
  return page;
}

/** Opens the screen with its figures. */
async function openRead(opening: Opening = {}): Promise<Page> {
  const page = await open(opening);
  await page.waitForSelector(".system-rows dt");
  return page;
}

/** Answers `system.report` in the daemon's place, as `change` makes it of the real answer. */
function answering(change: (report: Report) => unknown) {
  return async (page: Page): Promise<void> => {
    await page.route("**/rpc", async (route) => {
      if (!route.request().postData()?.includes('"system.report"')) return route.fallback();
      const response = await route.fetch();
      const answer = await response.json();
      const changed = change(answer.result);
      return route.fulfill({ response, json: changed === undefined ? answer : changed });
    });
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the report as it came over the wire.
type Report = any;

describe.runIf(hasChromium)("the system screen", () => {
  it("says in a sentence that the daemon writes, and has each group with figures and units", async () => {
    // The model of the config does not exist, so its breaker may well have opened.
    const page = await openRead({
      before: answering((report) => {
        report.models[0].breaker = "closed";
        report.hooks = report.hooks.map((hook: Report) => ({ ...hook, errors: 0 }));
        report.process.loop_p99_ms = 2;
      }),
    });
    await expect.poll(() => page.locator("h1").textContent(), SOON).toBe("Ready, and writing.");
    await expect
      .poll(() => page.locator(".lead p").textContent(), SOON)
      .toContain("Each hook is on disk before it is answered.");
    const titles = await page.locator(".system-grid h2").allTextContents();
    expect(titles).toEqual([
      "Hooks",
      "Journal",
      "Process",
      "Models",
      "Token count error",
      "Outputs",
      "Alerts and their delivery",
      "Config in force",
      "Links",
    ]);
    const all = (await page.locator(".system-grid").textContent()) ?? "";
    for (const words of ["SQLite, WAL, synchronous FULL", "on_tool_result", "small-helper, breaker closed", "gpt-4o"]) {
      expect(all).toContain(words);
    }
    await expect.poll(() => page.locator(".system-table tbody tr").count(), SOON).toBe(8);
    await expect.poll(() => page.title(), SOON).toBe("System · contextd");
  });

  it.each([400, 1280, 2560].flatMap((width) => (["dark", "light"] as const).map((scheme) => [width, scheme] as const)))(
    "fits into %i px, %s, without scrolling sideways",
    async (width, scheme) => {
      const page = await openRead({ width, scheme });
      await page.locator(".config-tree summary", { hasText: "telemetry" }).click();
      const widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
      expect((widths as number[])[0]).toBeLessThanOrEqual(width);
      await page.evaluate("scrollTo(0, 0)");
      const path = SHOTS === undefined ? {} : { path: join(SHOTS, `system-${scheme}-${width}.png`) };
      await page.screenshot({ fullPage: true, ...path });
    },
  );

  it("never has a secret of the config, in the page or in what it was sent", async () => {
    const sent: string[] = [];
    const page = await openRead({
      before: async (opened) => {
        opened.on("response", async (response) => {
          if (response.url().endsWith("/rpc")) sent.push(await response.text().catch(() => ""));
        });
      },
    });
    for (const summary of await page.locator(".config-tree summary").all()) await summary.click();
    const shown = await page.content();
    expect(shown).toContain("llm.summarizer.api_key");
    expect(shown).toContain("&lt;secret&gt;");
    expect(sent.join("")).toContain("in_force");
    for (const secret of SECRETS) {
      expect(shown).not.toContain(secret);
      expect(sent.join("")).not.toContain(secret);
    }
  });

  it("filters the config by key and value, keeps the filter in the address, and copies all of it", async () => {
    const page = await openRead();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const field = page.getByLabel("Filter the config");
    await field.fill("small-helper");
    const rows = page.locator(".config-tree dl > div:visible");
    expect(await rows.allTextContents()).toEqual(["llm.summarizer.modelsmall-helper"]);
    await expect.poll(() => page.url(), SOON).toContain("config=small-helper");
    await field.fill("nothing has this");
    await expect.poll(() => page.locator(".panel-head [role=status]").textContent(), SOON).toBe("Nothing has it.");
    await page.locator("button", { hasText: "Copy YAML" }).click();
    await page.locator("button", { hasText: "Copied" }).waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toMatch(/^server:$/m);
    expect(copied).toContain("api_key: <secret>");
  });

  it("tells what is wrong, the worst first, with a triangle and words at the figure", async () => {
    const page = await openRead({
      before: answering((report) => {
        report.journal.errors = 3;
        report.models[0].breaker = "open";
        report.process.loop_p99_ms = 290;
      }),
    });
    await expect.poll(() => page.locator("h1").textContent(), SOON).toBe("3 appends failed since the start.");
    await expect
      .poll(() => page.locator(".system-problems li").allTextContents(), SOON)
      .toEqual([
        "The summarizer small-helper is not asked: it has failed too often. Rules do its work.",
        "The event loop runs 290 ms late.",
      ]);
    const warned = page.locator(".warned", { hasText: "Event-loop delay p99" });
    expect(await warned.textContent()).toContain("Warning: ");
    expect(await warned.locator(".warning-mark svg").count()).toBe(1);
  });

  it("says what could not be read, keeps what it had, and reads again by itself", async () => {
    let fails = false;
    const failure = { jsonrpc: "2.0", id: 1, error: { code: -32001, message: "no", data: { reason: "overloaded" } } };
    const page = await open({
      before: async (opened) => {
        await opened.clock.install();
        await answering(() => (fails ? failure : undefined))(opened);
      },
    });
    await page.waitForSelector(".system-rows dt");
    fails = true;
    await page.clock.runFor(10_000);
    const note = page.locator(".system-failure");
    await note.filter({ hasText: "could not be read (-32001 overloaded)" }).waitFor();
    await expect.poll(() => page.locator(".system-rows dt").count(), SOON).toBeGreaterThan(20);
    fails = false;
    await page.clock.runFor(10_000);
    await note.waitFor({ state: "hidden" });
  });

  it("leads from an alert to its session and turn", async () => {
    const page = await openRead({
      before: answering((report) => {
        report.alerts.firing_total = 1;
        report.alerts.firing = [
          {
            alert: "ToolResultBloat",
            severity: "warning",
            tenant: "default",
            session_id: "<img src=x>/1",
            summary: "Tool results are 82% of a context.",
            since_turn: 9,
            deliveries: [{ sink: "webhook", state: "waiting" }],
          },
        ];
      }),
    });
    const row = page.locator(".system-alerts li");
    await expect.poll(() => row.textContent(), SOON).toContain("waits for webhook");
    await expect
      .poll(() => row.locator("a").getAttribute("href"), SOON)
      .toBe("#/session/%3Cimg%20src%3Dx%3E%2F1?alert=ToolResultBloat&turn=9");
    await expect.poll(() => row.locator("img").count(), SOON).toBe(0);
  });

  it("says which scope is missing where the token has none, and tells the addresses that a tab cannot open", async () => {
    using guarded = temporaryFolder();
    const token = "agent-token-agent-token-agent-token-00";
    const tokens = [{ name: "a", tenant: "acme", scopes: ["agent"], token }];
    const env = { CONTEXTD_SERVER__AUTH__TOKENS_FILE: guarded.write("tokens.json", JSON.stringify({ tokens })) };
    await using other = await DaemonProcess.start({ data: join(guarded.path, "data"), env, token });
    const page = await open({ url: other.url });
    await page.locator("#token").fill(token);
    await page.keyboard.press("Enter");
    await page.locator(".lead p", { hasText: "take a token with the scope operator" }).waitFor();
    await expect.poll(() => page.locator(".lead p").textContent(), SOON).toContain("Yours has agent.");
    await expect.poll(() => page.locator(".system-grid h2").allTextContents(), SOON).toEqual(["Links"]);
    await expect.poll(() => page.locator(".system-links a").count(), SOON).toBe(0);
    const addresses = await page.locator(".system-address code").allTextContents();
    expect(addresses).toEqual(
      ["metrics", "openrpc.json", "asyncapi.json", "healthz"].map((at) => `${other.url}/${at}`),
    );
    await expect
      .poll(() => page.locator(".system-grid").textContent(), SOON)
      .toContain("Authorization: Bearer <token>");
    // The first call goes without a token, and the browser tells of its refusal.
    for (const line of complaints.splice(0)) expect(line).toContain("401");
  });
});
