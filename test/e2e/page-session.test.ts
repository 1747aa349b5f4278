import type { Page, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { DrivenSession } from "../support/driven-session.ts";
import { SOON, seriousFindings, sidewaysScroll, textOf } from "../support/open-page.ts";
import { watchedDaemon } from "../support/watched-daemon.ts";

interface Summary {
  tokens: number;
  max_tokens: number;
  utilization: number;
  zone: string;
  turn: number;
  floor_tokens: number;
  reserve_tokens: number;
  regret: { evicted_blocks: number; regretted_blocks: number };
}
interface Blocks {
  blocks: { block_id: string; type: string; tool_name: string | null; tokens: number; pinned: boolean }[];
}

interface Match {
  state: string;
  intervals: { from_turn: number; to_turn: number | null }[];
}

/** A session that went through orange and a pass, with a checkpoint and a note. */
let driven: DrivenSession;
let passes: string[];

const watched = watchedDaemon(async (daemon) => {
  driven = await DrivenSession.open(daemon.client, "driven");
  await driven.mutate("note.write", { text: "Tabs count as 4." });
  passes = await driven.untilPass(700, "The marker is ZEBRA_CROSSING_7.");
  await driven.mutate("checkpoint.save");
});
const { opener } = watched;

const whole = (n: number): string => Math.round(n).toLocaleString("en-US");
const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)}%`;

interface Opening {
  session?: DrivenSession;
  query?: string;
  width?: number;
  scheme?: "dark" | "light";
  before?: (route: Route, call: { method: string; id: number }) => Promise<void>;
}

/** Opens the screen; with `before`, each call of the page goes through it. */
async function show({
  session = driven,
  query = "",
  width = 1440,
  scheme = "dark",
  before,
}: Opening = {}): Promise<Page> {
  const at = `#/session/${encodeURIComponent(session.id)}${query}`;
  const page = await opener.open(watched.daemon.url, { at: before === undefined ? at : "#/system", width, scheme });
  if (before !== undefined) {
    await page.route("**/rpc", (route) => before(route, route.request().postDataJSON()));
    await page.goto(`${watched.daemon.url}/${at}`);
    await page.reload();
  }
  await page.waitForSelector("body[data-state=live]");
  await page.locator(".gauge .share", { hasText: "%" }).waitFor();
  return page;
}

/** A piece of an evicted result that nothing in the context holds any more, with the turns in which it did. */
async function lostPhrase(): Promise<{ phrase: string; from: number; to: number }> {
  const { entries } = await driven.call<{ entries: { data: { block_id: string; block_type: string } }[] }>(
    "audit.list",
    {
      types: ["block.evicted"],
      limit: 1_000,
    },
  );
  for (const { data } of entries.filter((entry) => entry.data.block_type === "tool_result")) {
    const { original } = await driven.call<{ original: string }>("content.get", { block_id: data.block_id });
    for (let at = 0; at + 30 < original.length; at += 211) {
      const phrase = original.slice(at, at + 30).trim();
      const { matches } = await driven.call<{ matches: Match[] }>("content.search", { query: phrase });
      const [only, ...others] = matches.flatMap(({ intervals }) => intervals);
      if (only !== undefined && only.to_turn !== null && others.length === 0) {
        return { phrase, from: only.from_turn, to: only.to_turn };
      }
    }
  }
  throw new Error("All that was evicted is in the context, in one form or another.");
}

/** The page's answer to one call, changed. */
async function changed(route: Route, change: (result: Record<string, unknown>) => void): Promise<void> {
  const response = await route.fetch();
  const answer = (await response.json()) as { result: Record<string, unknown> };
  change(answer.result);
  await route.fulfill({ response, json: answer });
}

describe.runIf(hasChromium)("a session on the page", () => {
  it("shows the figures that the daemon tells", async () => {
    const summary = await driven.call<Summary>("session.get");
    const page = await show();
    await expect.poll(() => textOf(page, "h1"), SOON).toBe("driven");
    await expect.poll(() => textOf(page, ".gauge .share"), SOON).toBe(percent(summary.utilization));
    await expect
      .poll(() => textOf(page, ".gauge .dim"), SOON)
      .toBe(`${whole(summary.tokens)} of ${whole(summary.max_tokens)} tok`);
    expect((await textOf(page, ".gauge .zone")).toLowerCase()).toBe(summary.zone);
    const figures = await page.locator(".figures dd").allTextContents();
    const stays = summary.floor_tokens - summary.reserve_tokens;
    expect(figures[2]).toContain(`${Math.round((stays / summary.max_tokens) * 100)}%`);
    expect(figures[2]).toContain("kept for output");
    expect(figures[3]).toContain("80%");
    expect(figures[4]).toContain(`of ${whole(summary.regret.evicted_blocks)}`);
    await expect.poll(() => textOf(page, ".next"), SOON).toMatch(/^Next: /);
    const { components } = await driven.call<{ components: Record<string, { used_tokens: number }> }>("budget.report");
    const results = page.locator(".budget", { hasText: "Tool results" });
    await results.getByText(whole(components["tool_results"]?.used_tokens ?? -1), { exact: true }).waitFor();
    const { blocks } = await driven.call<Blocks>("context.get");
    await page.locator(".map .hint", { hasText: `${blocks.length} blocks` }).waitFor();
  });

  it("shows a zone change that hooks cause within a second, without a reload", async () => {
    const session = await DrivenSession.open(watched.daemon.client, "growing");
    const page = await show({ session });
    await page.locator(".gauge .zone", { hasText: "Green" }).waitFor();
    let shown = "green";
    for (let i = 0; i < 12; i++) {
      await session.step(500);
      const committed = Date.now();
      const { zone } = await session.call<Summary>("session.get");
      if (zone === shown) continue;
      shown = zone;
      await page.locator(`.gauge.in-${zone}`).waitFor();
      expect(Date.now() - committed).toBeLessThan(1_000);
    }
    expect(shown).not.toBe("green");
    // The decision of it joins the list by itself.
    await page.locator(".decision-what", { hasText: "Yellow, from green" }).first().waitFor();
  });

  it("links each pass to the page that explains it", async () => {
    const page = await show();
    const link = page.locator("a.decision.explained").last();
    await link.waitFor();
    await expect.poll(() => link.getAttribute("href"), SOON).toBe(`#/session/driven/decision/${passes[0]}`);
    await expect.poll(() => page.locator("a.decision.explained").count(), SOON).toBe(passes.length);
    await expect.poll(() => link.textContent(), SOON).toMatch(/Edited \d+ blocks?: /);
    await expect
      .poll(() => page.locator(".edit-lane a.mark").first().getAttribute("href"), SOON)
      .toContain("/decision/p");
    await link.click();
    await page.waitForSelector(".decision-screen");
  });

  it("opens any other decision in place, and its address opens it again", async () => {
    const page = await show();
    const row = page.locator("button.decision", { hasText: "Checkpoint" }).first();
    await row.click();
    await page.locator(".decision-detail", { hasText: "state version" }).waitFor();
    await expect.poll(() => page.url(), SOON).toMatch(/decision=\d+/);
    const again = await opener.open(watched.daemon.url, { at: new URL(page.url()).hash });
    await again.locator(".decision-detail", { hasText: "state version" }).waitFor();
    await row.click();
    await expect.poll(() => page.locator(".decision-detail").count(), SOON).toBe(0);
    await page.locator("label", { hasText: "Edits" }).click();
    await expect.poll(() => page.locator("button.decision", { hasText: "Checkpoint" }).count(), SOON).toBe(0);
  });

  it("traces a phrase: when it was in the context, and when it was not", async () => {
    const page = await show();
    await page.fill("#phrase", "zebra_crossing_7");
    await page.press("#phrase", "Enter");
    await page.locator(".trace", { hasText: "First seen at turn 1." }).waitFor();
    await expect.poll(() => page.locator(".life.held").count(), SOON).toBeGreaterThan(0);
    await expect.poll(() => page.url(), SOON).toContain("phrase=zebra_crossing_7");
    const lost = await lostPhrase();
    await page.fill("#phrase", lost.phrase);
    await page.press("#phrase", "Enter");
    await page.locator(".trace", { hasText: `First seen at turn ${lost.from}. Out of the context for` }).waitFor();
    await expect
      .poll(() => page.locator(".trace p b").first().textContent(), SOON)
      .toMatch(new RegExp(`turns? ${lost.to}\\b`));
    await expect.poll(() => page.locator(".life.evicted").count(), SOON).toBe(1);
    await page.fill("#phrase", "never said");
    await page.press("#phrase", "Enter");
    await page.locator(".trace", { hasText: "Not found in this session" }).waitFor();
  });

  it("pins a block when asked once, and says what it costs", async () => {
    const { blocks } = await driven.call<Blocks>("context.get");
    const block = blocks.findLast(({ type }) => type === "tool_result");
    const page = await show({ query: `?block=${block?.block_id}` });
    await page.locator(".inspector", { hasText: block?.block_id ?? "none" }).waitFor();
    await page.locator(".inspector button", { hasText: "Pin" }).click();
    await expect
      .poll(() => textOf(page, "#confirm"), SOON)
      .toContain(`${whole(block?.tokens ?? 0)} tok stay in the context`);
    await page.locator("#confirm .primary").click();
    await page.locator(".inspector", { hasText: "Pinned: never evicted" }).waitFor();
    const after = await driven.call<Blocks>("context.get");
    expect(after.blocks.find(({ block_id }) => block_id === block?.block_id)?.pinned).toBe(true);
    await page.locator(".inspector button", { hasText: "Show text" }).click();
    await expect.poll(() => textOf(page, ".text-dialog"), SOON).toContain("step");
  });

  it("is reached by the keyboard: chart, map, windows", async () => {
    const page = await show();
    await page.focus(".chart");
    await page.keyboard.press("Home");
    await page.locator("#say", { hasText: "Turn 1," }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.locator("#say", { hasText: "Turn 2," }).waitFor();
    await expect.poll(() => textOf(page, ".readout"), SOON).toContain("Turn 2");
    await page.locator(".budgets .hint", { hasText: "at turn 2" }).waitFor();
    await page.keyboard.press("0");
    await expect.poll(() => page.locator(".chapter.all").getAttribute("aria-pressed"), SOON).toBe("true");
    await page.focus(".block-map");
    await page.keyboard.press("End");
    await page.locator("#say", { hasText: "Tool result" }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url(), SOON).toContain("block=b");
    await page.locator("label", { hasText: "List" }).click();
    const { blocks } = await driven.call<Blocks>("context.get");
    await expect.poll(() => page.locator(".block-table tbody tr").count(), SOON).toBe(blocks.length);
    await page.locator("h1").click();
    await page.keyboard.press("j");
    await expect.poll(() => page.evaluate("document.activeElement.className"), SOON).toContain("decision");
  });

  it("shows windows as chapters, and what goes from one to the next", async () => {
    const session = await DrivenSession.open(watched.daemon.client, "windows");
    await session.step(300);
    await session.step(300);
    await session.mutate("window.open");
    await session.step(300);
    const page = await show({ session });
    await page.locator(".chapter").nth(2).waitFor();
    await expect
      .poll(() => page.locator(".chapter b").allTextContents(), SOON)
      .toEqual(["Window 1", "Window 2", "All"]);
    await expect.poll(() => page.locator(".window-head").count(), SOON).toBe(2);
    await page.locator(".chapter").first().click();
    await expect.poll(() => page.url(), SOON).toContain("window=1");
    await page.locator(".carried button", { hasText: "Read" }).first().click();
    await page.locator(".text-dialog", { hasText: "Mend the parser." }).waitFor();
  });

  it("shows one panel's failure in that panel, with its code, and goes on when it can be read", async () => {
    let fails = true;
    const page = await show({
      before: async (route, { method, id }) => {
        if (method !== "budget.report" || !fails) return route.continue();
        const error = { code: -32007, message: "The journal cannot be read.", data: { reason: "storage_unavailable" } };
        return route.fulfill({ json: { jsonrpc: "2.0", id, error } });
      },
    });
    await page.locator(".budgets .fault", { hasText: "-32007 storage_unavailable" }).waitFor();
    await page.locator("a.decision.explained").first().waitFor();
    await expect.poll(() => page.locator(".fault").count(), SOON).toBe(1);
    fails = false;
    await page.locator(".budgets .fault button").click();
    await page.locator(".budgets .fault").waitFor({ state: "detached" });
  });

  it("puts the alert that a link names first, with its runbook, and marks its turn", async () => {
    const alerts = ["RegretHigh", "ToolResultBloat"].map((alert) => ({
      ...{ alert, severity: "warning", summary: "Told in figures.", since_turn: 2 },
    }));
    const page = await show({
      query: "?alert=ToolResultBloat&turn=2",
      before: (route, { method }) =>
        method === "session.get" ? changed(route, (summary) => Object.assign(summary, { alerts })) : route.continue(),
    });
    await expect
      .poll(() => page.locator(".session-alerts b").allTextContents(), SOON)
      .toEqual(["ToolResultBloat", "RegretHigh"]);
    await expect
      .poll(() => page.locator(".session-alerts a").first().getAttribute("href"), SOON)
      .toMatch(/runbooks\/ToolResultBloat\.md$/);
    await page.locator(".readout", { hasText: "Turn 2" }).waitFor();
  });

  it("compacts when an operator confirms, and the pass appears", async () => {
    const session = await DrivenSession.open(watched.daemon.client, "compacted");
    for (let i = 0; i < 6; i++) await session.step(500);
    const page = await show({ session });
    await page.locator(".session-actions .primary").click();
    await expect.poll(() => textOf(page, "#confirm"), SOON).toContain("cache");
    await page.locator("#confirm .primary").click();
    await page.locator(".answer", { hasText: /Compacted|Nothing was freed/ }).waitFor();
    await expect.poll(() => textOf(page, ".answer"), SOON).toContain("Compacted");
    await page.locator("a.decision.explained").waitFor();
  });

  it("shows a closed session as closed, with its history", async () => {
    const session = await DrivenSession.open(watched.daemon.client, "closed");
    await session.untilPass();
    await session.mutate("session.close");
    const page = await show({ session });
    await page.locator(".ended", { hasText: /Closed .* ago, after \d+ turns: finished/ }).waitFor();
    await expect.poll(() => page.locator(".session-actions button[aria-disabled=true]").count(), SOON).toBe(3);
    await page.locator(".session-actions .why-off", { hasText: "This session is closed" }).waitFor();
    await page.locator("a.decision.explained").waitFor();
  });

  it("says that an unknown session is not found", async () => {
    const page = await opener.open(watched.daemon.url, { at: "#/session/nobody", expected: /404/ });
    await page.locator(".state", { hasText: "no session nobody" }).waitFor();
  });

  it("shows names and contents that look like markup as they are", async () => {
    const hostile = '<img src=x onerror="window.owned=1">';
    const long = `\u202e${"A".repeat(4_000)}<script>window.owned=1</script>`;
    const session = await DrivenSession.open(watched.daemon.client, `${hostile}\u202egnp`, {
      agent: long.slice(0, 200),
      task: { goal: `${hostile} ${long}`, constraints: [hostile] },
    });
    session.tool = "read__img_onerror";
    await session.mutate("note.write", { text: `${hostile} {{constructor.constructor('window.owned=1')()}}` });
    const [pass] = await session.untilPass(700, `${hostile}<script>window.owned=1</script>`);
    await session.mutate("checkpoint.save");
    const page = await show({
      session,
      width: 400,
      query: `?phrase=${encodeURIComponent(hostile)}&alert=${encodeURIComponent(hostile)}`,
    });
    await page.locator("a.decision.explained").first().waitFor();
    await page.locator(".trace", { hasText: "First seen" }).waitFor();
    await page.locator(".carried", { hasText: hostile }).waitFor();
    await page.locator(".carried button", { hasText: "Read" }).first().click();
    await page.locator(".text-dialog pre", { hasText: hostile }).waitFor();
    await page.locator(".text-dialog button", { hasText: "Close" }).click();
    await page.locator("label", { hasText: "List" }).click();
    await expect.poll(() => textOf(page, "h1"), SOON).toBe(session.id);
    await expect.poll(() => page.evaluate("window.owned"), SOON).toBeUndefined();
    await expect.poll(() => page.locator("main img, main script").count(), SOON).toBe(0);
    expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
    expect(pass).toBeDefined();
  });

  it.each([400, 1240, 2560])(
    "has no sideways scroll and no serious finding of axe at %i px, dark or light",
    async (width) => {
      for (const scheme of ["dark", "light"] as const) {
        const page = await show({ width, scheme, query: "?phrase=ZEBRA" });
        await page.locator("a.decision.explained").first().waitFor();
        await page.locator(".trace", { hasText: "First seen" }).waitFor();
        expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
        expect(await seriousFindings(page)).toEqual([]);
      }
    },
  );
});
