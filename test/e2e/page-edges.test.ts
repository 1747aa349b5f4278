import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { DrivenSession } from "../support/driven-session.ts";
import { type OpenOptions, SOON, sidewaysScroll, textOf } from "../support/open-page.ts";
import { watchedDaemon } from "../support/watched-daemon.ts";

/** A session that went through a pass. */
let driven: DrivenSession;
let pass: string;

const watched = watchedDaemon(async (daemon) => {
  driven = await DrivenSession.open(daemon.client, "driven");
  [pass] = (await driven.untilPass()) as [string];
});
const { opener } = watched;

const open = (at: string, options: OpenOptions = {}): Promise<Page> =>
  opener.open(watched.daemon.url, { at, ...options });

async function openSession(query = "", options: OpenOptions = {}, id = driven.id): Promise<Page> {
  const page = await open(`#/session/${encodeURIComponent(id)}${query}`, options);
  await page.locator(".gauge .share", { hasText: "%" }).waitFor();
  return page;
}

/** A block that the pass took out, with nothing left in its place. */
async function departed(): Promise<{ block: string; turn: number }> {
  const explained = await driven.call<{
    turn: number;
    taken: { block_id: string; tokens_after: number }[];
    after: { block_id: string }[];
  }>("pass.explain", { pass_id: pass });
  const { blocks } = await driven.call<{ blocks: { block_id: string }[] }>("context.get");
  const left = explained.taken.find(({ block_id }) => blocks.every((block) => block.block_id !== block_id));
  if (left === undefined) throw new Error("The pass left something of each block.");
  return { block: left.block_id, turn: explained.turn };
}

describe.runIf(hasChromium)("an address that names what is not there", () => {
  it.each(["-1", "0", "99999"])("says so of turn %s, and shows the session as it is", async (turn) => {
    const page = await openSession(`?turn=${turn}`);
    await page.locator(".notices", { hasText: "is not of this session: it has" }).waitFor();
    await page.locator(".readout", { hasText: `Turn ${driven.turn}` }).waitFor();
    await expect
      .poll(() => textOf(page, ".notices"), SOON)
      .toContain(Number(turn).toLocaleString("en-US").replace("-", "−"));
  });

  it("says so of a window, a block and a decision, with the way to the pass that took the block", async () => {
    const { block, turn } = await departed();
    const page = await openSession(`?window=99&block=${block}&decision=999999`);
    const said = page.locator(".notices li");
    await page.locator(".notices", { hasText: "Window 99 is not of this session: it has 1 window." }).waitFor();
    await page.locator(".notices", { hasText: "Decision 999,999 is not of this session." }).waitFor();
    await said.filter({ hasText: `Block ${block} left at turn ${turn}.` }).waitFor();
    await said.locator("a").click();
    await page.locator(".decision-screen .detail h2").waitFor();
    await expect.poll(() => page.url(), SOON).toContain(`/decision/${pass}?block=${block}`);
  });

  it("says so of a block and a decision that never were, and nothing of what is there", async () => {
    const page = await openSession("?block=zzz&decision=nope", { expected: /404|400/ });
    await page.locator(".notices", { hasText: "Block “zzz” is not of this session." }).waitFor();
    await page.locator(".notices", { hasText: "Decision “nope” is not of this session." }).waitFor();
    const { blocks } = await driven.call<{ blocks: { block_id: string }[] }>("context.get");
    const known = await openSession(`?turn=1&window=1&block=${blocks[0]?.block_id}`);
    await known.locator(".inspector", { hasText: blocks[0]?.block_id ?? "none" }).waitFor();
    await known.locator("a.decision.explained").first().waitFor();
    expect(await known.locator(".notices").isVisible()).toBe(false);
  });

  it("is not found where no session can have such a name, and asks no more", async () => {
    const long = "a".repeat(4_096);
    const page = await open(`#/session/${long}`, { expected: /400|404/ });
    await page.locator(".state", { hasText: "There is no session aaa" }).waitFor();
    await expect.poll(() => page.locator(".fault").count(), SOON).toBe(0);
    await expect.poll(() => page.title(), SOON).toBe("Not found · contextd");
    expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
  });

  it("leads from a decision that is not there back to its session", async () => {
    const page = await open("#/session/driven/decision/p999", { expected: /404/ });
    await page.locator(".state", { hasText: "The session driven has no decision of the name p999." }).waitFor();
    await expect.poll(() => page.title(), SOON).toBe("Not found · contextd");
    await page.locator(".state a").click();
    await page.locator(".gauge .share", { hasText: "%" }).waitFor();
  });
});

describe.runIf(hasChromium)("a session on the page, at its edges", () => {
  it("says nothing of decisions that could not be read", async () => {
    let fails = true;
    const page = await open("#/fleet");
    await page.route("**/rpc", (route) => {
      const { method, id } = route.request().postDataJSON() as { method: string; id: number };
      if (method !== "audit.list" || !fails) return route.continue();
      const error = { code: -32007, message: "The journal cannot be read.", data: { reason: "storage_unavailable" } };
      return route.fulfill({ json: { jsonrpc: "2.0", id, error } });
    });
    await page.goto(`${watched.daemon.url}/#/session/driven`);
    await page.locator(".decisions-panel .fault", { hasText: "-32007 storage_unavailable" }).waitFor();
    await expect.poll(() => page.getByText("Nothing was decided yet.").isVisible(), SOON).toBe(false);
    await expect.poll(() => page.locator(".decisions-panel .more").isVisible(), SOON).toBe(false);
    fails = false;
    await page.locator(".decisions-panel .fault button").click();
    await page.locator("a.decision.explained").first().waitFor();
  });

  it("keeps the chosen one of many windows in view, and all of them one press away", async () => {
    const session = await DrivenSession.open(watched.daemon.client, "windows");
    for (let window = 1; window < 10; window++) {
      await session.step(100);
      await session.mutate("window.open");
    }
    await session.step(100);
    const page = await openSession("", { width: 1280 }, session.id);
    await expect.poll(() => page.locator(".chapter").count(), SOON).toBe(11);
    const ends = async (): Promise<number[][]> => {
      const boxes = [".chapters", '.chapter[aria-pressed="true"]', ".chapter.all"].map((at) => page.locator(at));
      const found = await Promise.all(boxes.map((box) => box.boundingBox()));
      return found.map((box) => (box === null ? [] : [box.x, box.x + box.width]));
    };
    const inView = async (): Promise<boolean> => {
      const [strip, chosen, all] = (await ends()) as [number[], number[], number[]];
      const isWithin = (chosen[0] ?? 0) >= (strip[0] ?? 0) - 1 && (chosen[1] ?? 0) <= (all[0] ?? 0) + 1;
      return isWithin && (all[1] ?? 0) <= (strip[1] ?? 0) + 1;
    };
    await expect.poll(inView, SOON).toBe(true);
    await expect.poll(() => textOf(page, '.chapter[aria-pressed="true"] b'), SOON).toBe("Window 10");
    const first = await openSession("?window=1", { width: 1280 }, session.id);
    await first.locator('.chapter[aria-pressed="true"]', { hasText: "Window 1" }).waitFor();
    await expect.poll(() => first.evaluate("document.querySelector('.chapters').scrollLeft"), SOON).toBe(0);
  });

  it("shows a name that cannot be seen", async () => {
    const session = await DrivenSession.open(watched.daemon.client, "\u200b\u200b");
    const page = await openSession("", {}, session.id);
    await expect.poll(() => textOf(page, "h1"), SOON).toBe("\\u200b\\u200b");
    const fleet = await open("#/fleet");
    await fleet.locator(".grid-body a.id", { hasText: "\\u200b\\u200b" }).waitFor();
  });

  it.each(["dark", "light"] as const)("can be read where the system forces its colours, %s", async (scheme) => {
    const page = await openSession("", { forcedColors: true, scheme });
    const chosen = page.locator(".segments :checked + span").first();
    await chosen.waitFor();
    const style = "getComputedStyle(document.querySelector('.segments :checked + span'))";
    const segment = (await page.evaluate(
      `(({ color, backgroundColor, forcedColorAdjust }) => ({ color, backgroundColor, forcedColorAdjust }))(${style})`,
    )) as Record<string, string>;
    // Without it the browser lays its own ground under the words, in the colour that they have.
    expect(segment["forcedColorAdjust"]).toBe("none");
    expect(segment["color"]).not.toBe(segment["backgroundColor"]);
    await page.locator(".budget .swatch").first().waitFor();
    const swatches = (await page.evaluate(
      "[...document.querySelectorAll('.budget .swatch')].map((swatch) => getComputedStyle(swatch).backgroundColor)",
    )) as string[];
    expect(new Set(swatches).size).toBeGreaterThanOrEqual(5);
  });
});
