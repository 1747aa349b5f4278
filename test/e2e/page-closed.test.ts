import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { DrivenSession } from "../support/driven-session.ts";
import { SOON, seriousFindings, sidewaysScroll, textOf } from "../support/open-page.ts";
import { watchedDaemon } from "../support/watched-daemon.ts";

const CLOSED = "#/fleet?state=closed";
const ROW = ".closed-grid .row";

/** Driven through a pass and closed. */
let ended: DrivenSession;
let passes: string[];

const watched = watchedDaemon(async (daemon) => {
  ended = await DrivenSession.open(daemon.client, "ended-first");
  passes = await ended.untilPass();
  await ended.mutate("session.close", { reason: "the parser is mended" });
});
const { opener } = watched;

async function openAt(at: string, width = 1440): Promise<Page> {
  const page = await opener.open(watched.daemon.url, { at, width });
  await page.waitForSelector("body[data-state=live]");
  return page;
}

async function openAndClose(id: string, agent = "code-fix"): Promise<void> {
  const session = await DrivenSession.open(watched.daemon.client, id, { agent });
  await session.mutate("session.close");
}

/** The ids of the rows from the top down: rows are reused, so the document has them in another order. */
async function ids(page: Page): Promise<string[]> {
  const rows = await page.locator(ROW).evaluateAll((nodes) =>
    nodes.map((node) => ({
      place: Number(node.getAttribute("aria-rowindex")),
      id: node.querySelector(".id")?.textContent ?? "",
    })),
  );
  return rows.sort((a, b) => a.place - b.place).map(({ id }) => id);
}

describe.skipIf(!hasChromium)("closed sessions on the page", { timeout: 60_000 }, () => {
  it("are offered where none is open, and lead to the decision that took a block, with nothing to be changed", async () => {
    const page = await openAt("#/fleet");
    await page.locator("h1", { hasText: "No session is open." }).waitFor();
    await expect.poll(() => page.locator(".state h1").count(), SOON).toBe(0);
    await page.locator(".none:visible", { hasText: "No session is open." }).getByRole("button").click();
    await page.locator(ROW, { hasText: "ended-first" }).waitFor();
    await expect.poll(() => page.url(), SOON).toContain("state=closed");
    await expect.poll(() => textOf(page, `${ROW} .ended`), SOON).toMatch(/ago$/);
    await page.locator(`${ROW} .id`).first().click();
    await page.locator(".ended", { hasText: "turns: the parser is mended" }).waitFor();
    await expect.poll(() => page.locator(".session-actions button[aria-disabled=true]").count(), SOON).toBe(3);
    await page.locator("a.decision.explained").first().click();
    await page.locator(".block-actions .why-off", { hasText: "session is closed" }).waitFor();
    await expect.poll(() => page.url(), SOON).toContain(passes[0]);
    await expect.poll(() => page.locator(".block-actions button:not([aria-disabled=true])").count(), SOON).toBe(0);
    await page.locator(".source .line").first().waitFor();
  });

  it("are searched and chosen by the daemon, and the choice is in the address", async () => {
    for (const [id, agent] of [
      ["triage-1", "triage"],
      ["triage-2", "triage"],
    ] as const) {
      await openAndClose(id, agent);
    }
    const page = await openAt(CLOSED);
    await expect.poll(() => ids(page), SOON).toEqual(["triage-2", "triage-1", "ended-first"]);
    await page.selectOption("[aria-label='Only of this agent']", "triage");
    await expect.poll(() => ids(page), SOON).toEqual(["triage-2", "triage-1"]);
    await page.fill("[data-slot=filter]", "age-1");
    await expect.poll(() => ids(page), SOON).toEqual(["triage-1"]);
    await expect.poll(() => page.url(), SOON).toContain("agent=triage");
    await page.fill("[data-slot=filter]", "nobody");
    await page.locator(".none:visible", { hasText: "No closed session is of this kind." }).waitFor();
    await page.click("[data-slot=clear]");
    await expect.poll(() => ids(page), SOON).toContain("ended-first");
  });

  it("come to the top as they close, from among the open ones", async () => {
    const live = await DrivenSession.open(watched.daemon.client, "closing-now");
    const page = await openAt("#/fleet");
    await page.locator(".row", { hasText: "closing-now" }).waitFor();
    await page.locator(".state-key", { hasText: "Closed" }).click();
    await expect.poll(() => ids(page), SOON).toContain("ended-first");
    await expect.poll(() => ids(page), SOON).not.toContain("closing-now");
    await live.mutate("session.close");
    await expect.poll(async () => (await ids(page))[0], SOON).toBe("closing-now");
    await page.locator(".state-key", { hasText: "Open" }).click();
    await page.locator(".none:visible", { hasText: "No session is open." }).waitFor();
  });

  it("are read page by page as the table is scrolled", async () => {
    const more = Array.from({ length: 130 }, (_, n) => `many-${String(n).padStart(3, "0")}`);
    for (let from = 0; from < more.length; from += 10) {
      await Promise.all(more.slice(from, from + 10).map((id) => openAndClose(id, "many")));
    }
    const page = await openAt(`${CLOSED}&agent=many`);
    await expect.poll(() => textOf(page, "[data-slot=count]"), SOON).toBe("the last 100");
    await page.locator(`${ROW}`).first().hover();
    await page.locator(".closed-grid").evaluate((grid) => {
      grid.scrollTop = grid.scrollHeight;
    });
    await expect.poll(() => textOf(page, "[data-slot=count]"), SOON).toBe("130");
    await page.locator(".closed-grid").evaluate((grid) => {
      grid.scrollTop = grid.scrollHeight;
    });
    await expect.poll(async () => (await ids(page)).some((id) => id.startsWith("many-00")), SOON).toBe(true);
    await expect.poll(() => page.locator(ROW).count(), SOON).toBeLessThan(60);
  });

  it("are found by the jump field, and opened", async () => {
    const page = await openAt("#/system");
    await page.fill("#jump", "no such name");
    await page.locator("#jump-list .none", { hasText: "No session of that name, open or closed." }).waitFor();
    await page.fill("#jump", "ended-f");
    await page.locator("#jump-list [role=option]", { hasText: "closed" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".ended", { hasText: "Closed" }).waitFor();
  });

  it("say so where a session closes under the reader's eyes", async () => {
    const live = await DrivenSession.open(watched.daemon.client, "closing-soon");
    const page = await openAt("#/session/closing-soon");
    await expect.poll(() => page.locator(".session-actions button:enabled").count(), SOON).toBe(3);
    await live.mutate("session.close", { reason: "enough" });
    await page.locator(".ended", { hasText: "enough" }).waitFor();
    await expect.poll(() => page.locator(".session-actions button[aria-disabled=true]").count(), SOON).toBe(3);
  });

  it("tell what could not be read, and are read again", async () => {
    const page = await opener.open(watched.daemon.url, { at: "#/system", expected: /503/ });
    let isDown = true;
    await page.route("**/rpc", async (route) => {
      const { method, params, id } = route.request().postDataJSON();
      const isAsked = method === "session.list" && params.state === "closed" && params.limit > 1;
      if (!isDown || !isAsked) return route.continue();
      const error = { code: -32_010, message: "The store is busy.", data: { reason: "storage_unavailable" } };
      await route.fulfill({ json: { jsonrpc: "2.0", id, error } });
    });
    await page.goto(`${watched.daemon.url}/${CLOSED}`);
    await page.locator(".none:visible", { hasText: "The store is busy." }).waitFor();
    await expect.poll(() => textOf(page, ".closed-grid .none"), SOON).toContain("storage_unavailable");
    isDown = false;
    await page.locator(".closed-grid .none button").click();
    await page.locator(ROW).first().waitFor();
  });

  it.each([400, 1280])("fit a window of %i px, without a serious finding", async (width) => {
    const page = await openAt(CLOSED, width);
    await page.locator(ROW).first().waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${watched.daemon.url}/#/session/${ended.id}`);
    await page.locator(".ended", { hasText: "Closed" }).waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("are still there after the daemon was started anew", async () => {
    await watched.restart();
    const page = await openAt(`${CLOSED}&q=ended`);
    await expect.poll(() => ids(page), SOON).toEqual(["ended-first"]);
    await page.locator(`${ROW} .id`).click();
    await page.locator("a.decision.explained").first().waitFor();
  });
});
