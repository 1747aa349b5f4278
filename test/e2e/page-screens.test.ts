import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { DaemonProcess, runCommand } from "../support/daemon-process.ts";
import { PageOpener, seriousFindings, sidewaysScroll } from "../support/open-page.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

const WIDTHS = [400, 1280, 2560] as const;
const SCHEMES = ["dark", "light"] as const;
/** Folder that takes a picture of every screen at every width in both themes; unset: none is kept. */
const PICTURES = process.env["CONTEXTD_SCREENSHOTS"];
const IMAGES = join(import.meta.dirname, "../../docs/images");
/** What README.md and docs/page.md show: written with CONTEXTD_DOCS_IMAGES=1, each at 1280 px. */
const SHOWN = { fleet: "dark", session: "dark", decision: "light", lab: "light", system: "dark" } as const;
const MOST_BYTES = 400_000;
const REPLAYED = ["plain_sliding", "fifo", "clear_results", "published_hybrid", "oracle", "none"];

interface Listed {
  readonly session_id: string;
  readonly last_edit: object | null;
  readonly turn: number;
}

let folder: TemporaryFolder;
let daemon: DaemonProcess;
let screens: Record<string, { at: string; ready: string }>;
const pages = new PageOpener();

async function passesOf(session: string): Promise<string[]> {
  const { entries } = await daemon.client.call<{ entries: { data: { pass_id: string; edits: number } }[] }>(
    "audit.list",
    { session_id: session, types: ["history.compacted"], limit: 1_000 },
    { readOnly: true },
  );
  return entries.filter(({ data }) => data.edits > 0).map(({ data }) => data.pass_id);
}

/** A replay, so that the lab has something to show. */
async function replayed(sessions: readonly string[]): Promise<void> {
  await daemon.client.call("replay.run", { session_ids: [...sessions], policies: REPLAYED });
  for (;;) {
    const { status } = await daemon.client.call<{ status: string }>("replay.get", {}, { readOnly: true });
    if (status !== "running") {
      expect(status).toBe("done");
      return;
    }
    await setTimeout(500);
  }
}

beforeAll(async () => {
  if (!hasChromium) return;
  folder = temporaryFolder();
  daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
  const demo = await runCommand([
    "demo",
    "--url",
    daemon.url,
    "--sessions",
    "16",
    "--speed",
    "0",
    "--turns",
    "40",
    "--keep",
  ]);
  expect(demo).toMatchObject({ code: 0, stderr: "" });
  const { sessions } = await daemon.client.call<{ sessions: Listed[] }>("session.list", {}, { readOnly: true });
  const passes = await Promise.all(
    sessions.map(async ({ session_id }) => [session_id, await passesOf(session_id)] as const),
  );
  await replayed(sessions.slice(0, 3).map(({ session_id }) => session_id));
  const [edited, [pass]] = passes.toSorted((a, b) => b[1].length - a[1].length)[0] as [string, string[]];
  screens = {
    fleet: { at: "#/fleet", ready: ".row" },
    session: { at: `#/session/${edited}`, ready: ".session-screen canvas" },
    traced: { at: `#/session/${edited}?phrase=contextd`, ready: ".session-screen canvas" },
    decision: { at: `#/session/${edited}/decision/${pass}`, ready: ".decision-screen canvas" },
    lab: { at: "#/lab", ready: ".lab-screen form" },
    system: { at: "#/system", ready: ".system-screen .panel" },
    unknown: { at: "#/session/nobody", ready: ".state" },
  };
  await pages.start();
}, 300_000);
afterAll(async () => {
  await pages.stop();
  await daemon?.[Symbol.asyncDispose]();
  folder?.[Symbol.dispose]();
});

/** Opens a screen and waits until it has drawn what it read. */
async function show(name: string, width: number, scheme: "dark" | "light"): Promise<Page> {
  const { at, ready } = screens[name] as { at: string; ready: string };
  const page = await pages.open(daemon.url, { at, width, scheme, expected: name === "unknown" ? /40\d/ : /^$/ });
  await page.waitForSelector("body[data-state=live]");
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState("networkidle");
  return page;
}

describe.runIf(hasChromium)("the pictures of the documents", () => {
  it.each(Object.entries(SHOWN))("%s", async (name, scheme) => {
    const path = join(IMAGES, `${name}.png`);
    if (process.env["CONTEXTD_DOCS_IMAGES"] === "1") {
      mkdirSync(IMAGES, { recursive: true });
      await (await show(name, 1280, scheme)).screenshot({ path });
      await pages.complaints();
    }
    expect(statSync(path).size).toBeLessThan(MOST_BYTES);
  });
});

describe.runIf(hasChromium)("every screen", () => {
  const all = ["fleet", "session", "traced", "decision", "lab", "system", "unknown"].flatMap((name) =>
    SCHEMES.flatMap((scheme) => WIDTHS.map((width) => ({ name, scheme, width }))),
  );

  it.each(all)(
    "$name, $scheme at $width px: nothing is complained of, hidden from anybody or out of the window",
    async ({ name, scheme, width }) => {
      const page = await show(name, width, scheme);
      if (PICTURES !== undefined) {
        mkdirSync(PICTURES, { recursive: true });
        await page.screenshot({ path: join(PICTURES, `${name}-${scheme}-${width}.png`), fullPage: true });
      }
      expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
      expect(await seriousFindings(page)).toEqual([]);
      expect(await pages.complaints()).toEqual([]);
    },
  );
});
