import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ContextdError } from "../../src/model/errors.ts";
import { hasChromium } from "../support/chromium.ts";
import { PageOpener, SOON, seriousFindings, sidewaysScroll, textOf as text } from "../support/open-page.ts";
import { type ListedSession, listed, PageDaemon } from "../support/page-daemon.ts";
import { published } from "../support/published-event.ts";
import type { Settings } from "../support/test-server.ts";

const OPERATOR = "operator-token-operator-token-operator";

/** What a browser complains of while the daemon is gone. */
const LOST = /WebSocket connection|ERR_CONNECTION_REFUSED|Failed to load resource/;

const pages = new PageOpener();
const open: PageOpener["open"] = (url, options) => pages.open(url, options);
const daemons: PageDaemon[] = [];

beforeAll(async () => {
  if (hasChromium) await pages.start();
});
afterAll(() => pages.stop());
afterEach(async () => {
  const complaints = await pages.complaints();
  for (const daemon of daemons.splice(0)) await daemon.stop();
  expect(complaints).toEqual([]);
});

async function daemon(sessions: number, settings: Settings = {}): Promise<PageDaemon> {
  const made = await new PageDaemon().start(settings);
  daemons.push(made);
  const levels = [0.93, 0.86, 0.66, 0.3, 0.05];
  made.sessions = Array.from({ length: sessions }, (_, i) => listed(i, levels[i % levels.length] as number));
  return made;
}

describe.runIf(hasChromium)("the page", () => {
  it("opens with the answer in a sentence and the sessions that are soonest red", async () => {
    const d = await daemon(40);
    const page = await open(d.server.url);
    await page.waitForSelector(".row");
    await expect.poll(() => text(page, "h1"), SOON).toMatch(/^8 sessions are red\. \d+ more will be within 2 turns\.$/);
    await expect.poll(() => text(page, ".row .zone-cell"), SOON).toBe("Red");
    await expect.poll(() => page.title(), SOON).toBe("contextd");
    await expect.poll(() => text(page, ".tiles"), SOON).toContain("of 662k");
  });

  it("moves a session and tells the event while one looks at it", async () => {
    const d = await daemon(5);
    const page = await open(d.server.url);
    await page.waitForSelector("body[data-state=live] .row");
    const session = d.sessions[3] as NonNullable<(typeof d.sessions)[3]>;
    d.move(session, 0.97);
    const row = page.locator(".row", { hasText: session.session_id });
    await row.locator("text=97.0%").waitFor();
    await expect.poll(() => row.locator(".zone").textContent(), SOON).toBe("Red");
    await expect.poll(() => text(page, ".tail li"), SOON).toContain("to red, 97.0%");
    await page.locator("h1", { hasText: "2 sessions are red." }).waitFor();
  });

  it("stands still while it is paused, and says how much waits", async () => {
    const d = await daemon(5);
    const page = await open(d.server.url);
    await page.waitForSelector("body[data-state=live] .row");
    await page.click("[data-slot=pause]");
    const session = d.sessions[3] as NonNullable<(typeof d.sessions)[3]>;
    d.move(session, 0.97);
    await page.locator("[data-slot=tail-hint]", { hasText: "1 waiting" }).waitFor();
    await expect.poll(() => page.locator(".tail li").count(), SOON).toBe(0);
    await page.click("[data-slot=pause]");
    await expect.poll(() => page.locator(".tail li").count(), SOON).toBe(1);
  });

  it("shows names that look like markup as names: no script runs, nothing is fetched for them", async () => {
    const d = await daemon(0);
    const hostile = [
      '<img src=x onerror="window.owned=1">',
      "<script>window.owned=1</script>",
      '"><svg onload=window.owned=1>',
      "javascript:window.owned=1",
      "{{constructor.constructor('window.owned=1')()}}",
      "\u202egnp.exe",
    ];
    d.sessions = hostile.map((name, i) =>
      listed(i, 0.3, {
        session_id: name,
        agent: `${name}a`,
        model: `${name}m`,
        profile: name,
        last_edit: { turn: 1, tokens_freed: 1, strategy: name },
      }),
    );
    d.sessions.push(
      listed(7, 0.4, { session_id: "n".repeat(4_096), agent: "\u202e".repeat(500), model: "m".repeat(4_096) }),
    );
    d.alerts = hostile.map((name) => ({ alert: name, severity: `critical ${name}`, summary: name, session_id: name }));
    const page = await open(d.server.url);
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(`${d.server.url}/`)) elsewhere.push(request.url());
    });
    await page.waitForSelector("body[data-state=live] .row");
    for (const session of d.sessions) d.move(session, 0.96);
    await page.locator(".tail li", { hasText: "to red" }).first().waitFor();
    await page.locator(".row", { hasText: "96.0%" }).first().waitFor();
    await expect.poll(() => page.evaluate("window.owned"), SOON).toBeUndefined();
    await expect.poll(() => page.locator("main img, main script").count(), SOON).toBe(0);
    await expect
      .poll(() => page.locator(".row .id").allTextContents(), SOON)
      .toEqual(expect.arrayContaining(hostile.slice(0, 5)));
    expect(elsewhere).toEqual([]);
    expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
    await expect
      .poll(() => page.evaluate("getComputedStyle(document.querySelector('.row .id')).unicodeBidi"), SOON)
      .toBe("isolate");
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
  });

  it("shows only what is chosen, in the strip and in the table, and keeps the choice in the address", async () => {
    const d = await daemon(70);
    const page = await open(d.server.url, { at: "#/fleet?agent=triage" });
    await page.waitForSelector("body[data-state=live] .row");
    const ofTriage = d.sessions.filter((session) => session.agent === "triage");
    const shown = (n: number) => page.locator(`.strip[data-sessions="${n}"]`).waitFor();
    await shown(ofTriage.length);
    await expect.poll(() => text(page, "[data-slot=count]"), SOON).toBe(`${ofTriage.length} of 70`);
    await page.click(".zone-key:has-text('Red')");
    const red = ofTriage.filter((session) => session.zone === "red");
    await shown(red.length);
    await expect.poll(() => page.getAttribute(".zone-key:has-text('Red')", "aria-pressed"), SOON).toBe("true");
    await expect.poll(() => page.locator(".row").count(), SOON).toBe(red.length);
    await expect.poll(() => new URL(page.url()).hash, SOON).toBe("#/fleet?agent=triage&zone=red");
    await page.selectOption("[aria-label='Only of this agent']", "code-fix");
    await shown(d.sessions.filter(({ agent, zone }) => agent === "code-fix" && zone === "red").length);
    await page.click("[data-slot=clear]");
    await shown(70);
    await expect.poll(() => new URL(page.url()).hash, SOON).toBe("#/fleet");
    await page.fill("[data-slot=filter]", "no session has this name");
    await page.locator(".none", { hasText: "No open session" }).waitFor();
  });

  it("walks the strip by keys and by pointer, speaks where it is, and opens the session", async () => {
    const d = await daemon(70);
    const page = await open(d.server.url);
    await page.waitForSelector("body[data-state=live] .row");
    await page.waitForSelector(".strip[data-drawn]");
    await page.focus(".strip");
    await page.keyboard.press("Home");
    const first = await text(page, "#say");
    expect(first).toMatch(/red, red now, 93\.0% of/);
    await page.keyboard.press("ArrowDown");
    const second = await text(page, "#say");
    expect(second).not.toBe(first);
    const mark = await page.locator(".strip").boundingBox();
    const tip = await page.locator("#tip").boundingBox();
    expect((tip?.y ?? 0) + (tip?.height ?? 0)).toBeLessThanOrEqual(mark?.y ?? 0);
    const drawn = await page.getAttribute(".strip", "data-drawn");
    await page.mouse.move((mark?.x ?? 0) + 4, (mark?.y ?? 0) + 8);
    await page.locator("#tip", { hasText: first.split(",")[0] as string }).waitFor();
    await expect.poll(() => page.getAttribute(".strip", "data-drawn"), SOON).toBe(drawn);
    await page.keyboard.press("End");
    await expect.poll(() => text(page, "#say"), SOON).toContain("not growing");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.waitForFunction("location.hash.startsWith('#/session/')");
    await expect
      .poll(() => decodeURIComponent(new URL(page.url()).hash), SOON)
      .toBe(`#/session/${first.split(",")[0]}`);
    await expect.poll(() => page.locator("#tip").isHidden(), SOON).toBe(true);
  });

  it("leads by links: a row to its session, an alert to its turn, an edit to its decision", async () => {
    const d = await daemon(12);
    const of = d.sessions[3]?.session_id as string;
    d.alerts = [
      { alert: "ToolResultBloat", severity: "warning", summary: "63 %", session_id: of, since_turn: 12 },
      { alert: "Elsewhere", severity: "warning", summary: "x", session_id: of, runbook_url: "javascript:alert(1)" },
      { alert: "Known", severity: "critical", summary: "x", session_id: of, runbook_url: "https://runbooks.example/k" },
    ];
    const page = await open(d.server.url);
    await page.waitForSelector("body[data-state=live] .row");
    const href = (selector: string) => page.locator(selector).first().getAttribute("href");
    await expect.poll(() => text(page, ".alert .whole"), SOON).toBe("Known");
    expect(await href(".alert .whole:has-text('ToolResultBloat')")).toBe(
      `#/session/${of}?alert=ToolResultBloat&turn=12`,
    );
    await expect
      .poll(() => page.evaluate("[...document.querySelectorAll('.alert .anchor')].map((link) => link.href)"), SOON)
      .toEqual(["https://runbooks.example/k", `${d.server.url}/runbooks/ToolResultBloat.md`]);
    const compacted = { pass_id: "p84", edits: 3, tokens_before: 90_000, tokens_after: 60_000, strategy: "hybrid" };
    d.publish([published("history.compacted", compacted as never, { session: of })]);
    await page.locator(".tail li", { hasText: "edited 3 blocks" }).waitFor();
    expect(await href(".tail a:has-text('edited 3 blocks')")).toBe(`#/session/${of}/decision/p84`);
    const row = page.locator(".row", { hasText: of });
    await expect.poll(() => row.locator("a").getAttribute("href"), SOON).toBe(`#/session/${of}`);
    // The link lies over the whole row.
    const cell = await row.locator(".turn").boundingBox();
    await page.mouse.click((cell?.x ?? 0) + 10, (cell?.y ?? 0) + 10);
    await page.waitForFunction("location.hash.startsWith('#/session/')");
  });

  it("shows the events of one kind and of one session, those of before as well", async () => {
    const d = await daemon(12);
    const page = await open(d.server.url, { at: "#/fleet?events=alert" });
    await page.waitForSelector("body[data-state=live] .row");
    const [one, other] = d.sessions.slice(3, 5) as [ListedSession, ListedSession];
    d.move(one, 0.97);
    d.move(other, 0.97);
    const alert = { alert: "BurnRateSpike", severity: "warning", summary: "fast", turn: 3 } as const;
    d.publish([published("alert.raised", alert, { session: one.session_id })]);
    await page.locator(".tail li", { hasText: "BurnRateSpike" }).waitFor();
    await expect.poll(() => page.locator(".tail li").count(), SOON).toBe(1);
    await page.selectOption("[data-slot=tail-kind]", "zone");
    await expect.poll(() => page.locator(".tail li").count(), SOON).toBe(2);
    await page.fill("[data-slot=tail-of]", other.session_id);
    await expect.poll(() => page.locator(".tail li").count(), SOON).toBe(1);
    await expect.poll(() => text(page, ".tail li"), SOON).toContain(other.session_id);
    await expect.poll(() => new URL(page.url()).hash, SOON).toBe(`#/fleet?events=zone&of=${other.session_id}`);
  });

  it("draws a tile only for what the daemon tells, with the last hour as a line", async () => {
    const d = await daemon(5);
    const page = await open(d.server.url);
    await page.waitForSelector("body[data-state=live] .row");
    await expect.poll(() => text(page, ".tiles"), SOON).not.toContain("Count error");
    d.figures = {
      cost_saved: { tokens: 120_000, share: 0.26 },
      regret: { evicted: 200, needed_again: 3 },
      estimator_error: -0.006,
      history: { tokens_freed: [1_000, 2_000, 3_000], needed_again: [0.1, null, 0.2, 0.1], cost_ratio: [1, 0.8, 0.7] },
    };
    const again = await open(d.server.url);
    await again.waitForSelector("body[data-state=live] .row");
    const tiles = await text(again, ".tiles");
    for (const words of ["Cost saved26.0", "Needed again1.5", "Count error−0.6", "Tokens freed, 1 h6.0k"]) {
      expect(tiles).toContain(words);
    }
    await expect.poll(() => again.locator(".tile .spark").count(), SOON).toBe(3);
  });

  it("tells overflows of the last hour, or since the start of a daemon that is younger, and keeps the total", async () => {
    const d = await daemon(5);
    const hour = (overflows: number[]) => ({
      overflows_total: 9,
      overflows_last_hour: overflows.reduce((sum, n) => sum + n, 0),
      history: { tokens_freed: overflows.map(() => 0), overflows },
    });
    const tile = (page: Page) => page.locator(".tile", { hasText: "Overflows" });
    d.figures = { uptime_seconds: 86_400, ...hour(Array.from({ length: 60 }, (_, i) => (i === 50 ? 2 : 0))) };
    const old = await open(d.server.url);
    await old.waitForSelector("body[data-state=live] .row");
    await expect.poll(() => tile(old).textContent(), SOON).toBe("Overflows, 1 h2");
    await expect.poll(() => tile(old).getAttribute("title"), SOON).toBe("9 since the daemon's start");
    await expect.poll(() => tile(old).locator(".spark").count(), SOON).toBe(1);
    await expect.poll(() => text(old, "[data-slot=subline]"), SOON).toContain("2 overflows in the last hour.");
    d.figures = { uptime_seconds: 86_400, ...hour(Array.from({ length: 60 }, () => 0)) };
    const calm = await open(d.server.url);
    await calm.waitForSelector("body[data-state=live] .row");
    await expect.poll(() => text(calm, "[data-slot=subline]"), SOON).not.toContain("overflow");
    d.figures = { uptime_seconds: 725, ...hour(Array.from({ length: 60 }, (_, i) => (i === 59 ? 1 : 0))) };
    const young = await open(d.server.url);
    await young.waitForSelector("body[data-state=live] .row");
    await expect.poll(() => tile(young).textContent(), SOON).toBe("Overflows1since the start 12\u202fmin ago");
    await expect
      .poll(() => text(young, "[data-slot=subline]"), SOON)
      .toContain("1 overflow since the start 12\u202fmin ago.");
    expect(await sidewaysScroll(young)).toBeLessThanOrEqual(0);
  });

  it("shows times in the reader's zone and tells it, across a change of the clocks", async () => {
    const d = await daemon(5);
    // In Berlin the hour from 2 to 3 came twice that night.
    const [before, after] = [Date.UTC(2025, 9, 26, 0, 30), Date.UTC(2025, 9, 26, 1, 30)];
    const alert = (name: string) =>
      published("alert.raised", { alert: name, severity: "warning", summary: "x", turn: 3 }, { session: "s" });
    const expected = {
      "Europe/Berlin": ["02:30:00", "2025-10-26 02:30:00 GMT+2", "02:30:00", "2025-10-26 02:30:00 GMT+1"],
      "America/New_York": ["20:30:00", "2025-10-25 20:30:00 GMT-4", "21:30:00", "2025-10-25 21:30:00 GMT-4"],
    };
    for (const [timezone, times] of Object.entries(expected)) {
      const page = await open(d.server.url, { timezone });
      await page.waitForSelector("body[data-state=live] .row");
      const told = [alert("Before"), alert("After")].map((event, i) => ({ ...event, at: i === 0 ? before : after }));
      d.stream.observe(told.map((event) => ({ ...event, sequence: ++d.sequence })));
      const line = (name: string) => page.locator(".tail a", { hasText: name }).first();
      const shown: string[] = [];
      for (const name of ["Before", "After"]) {
        await line(name).waitFor();
        shown.push((await line(name).locator("time").textContent()) ?? "");
        shown.push(((await line(name).getAttribute("title")) ?? "").split("\n")[0] ?? "");
      }
      expect(shown).toEqual(times);
      await expect.poll(() => text(page, "[data-slot=tail-hint]"), SOON).toContain(`${timezone} time`);
    }
  });

  it("draws the strip ten times a second at most once the stream is busy, whatever arrives", async () => {
    const d = await daemon(500);
    const page = await open(d.server.url);
    await page.waitForSelector("body[data-state=live] .row");
    let at = 0;
    /** Thirty moves a frame for so long; answers how long it was, and how often the strip was drawn meanwhile. */
    const busyFor = async (ms: number) => {
      const drawn = async () => Number(await page.getAttribute(".strip", "data-drawn"));
      const [before, began] = [await drawn(), performance.now()];
      while (performance.now() - began < ms) {
        for (let i = 0; i < 30; i++) d.move(d.sessions[at++ % 500] as ListedSession, 0.1 + ((at * 7) % 80) / 100);
        await page.evaluate("new Promise((next) => requestAnimationFrame(next))");
      }
      return { drawn: (await drawn()) - before, tenths: (performance.now() - began) / 100 };
    };
    // The rate is known a second after it began.
    await busyFor(2_200);
    const { drawn, tenths } = await busyFor(1_500);
    expect(drawn).toBeGreaterThan(0);
    expect(drawn).toBeLessThanOrEqual(tenths + 3);
    const last = d.sessions[0] as ListedSession;
    d.move(last, 0.985);
    await page.locator(".row", { hasText: "98.5%" }).waitFor();
    await expect.poll(() => page.locator(".tail li").count(), SOON).toBeLessThanOrEqual(120);
    await expect.poll(() => page.evaluate("document.querySelectorAll('*').length"), SOON).toBeLessThan(2_600);
  });

  it("says that the connection is lost, keeps what it shows, and goes on where it was when the daemon is back", async () => {
    const d = await daemon(5);
    const page = await open(d.server.url, { expected: LOST });
    await page.waitForSelector("body[data-state=live] .row");
    await d.stop();
    await page.locator("#banner", { hasText: "Connection lost" }).waitFor();
    await expect.poll(() => page.locator(".row").count(), SOON).toBe(5);
    await d.start();
    await page.click("#banner button").catch(() => {});
    await page.waitForSelector("body[data-state=live]");
    const session = d.sessions[4] as NonNullable<(typeof d.sessions)[4]>;
    d.move(session, 0.8);
    await page.locator(".row", { hasText: "80.0%" }).waitFor();
    await expect.poll(() => page.locator("#banner").isHidden(), SOON).toBe(true);
  });

  it("reads the sessions anew when events were lost for good", async () => {
    const d = await daemon(5);
    const page = await open(d.server.url, { expected: LOST });
    await page.waitForSelector("body[data-state=live] .row");
    await d.stop();
    d.sequence += 50;
    d.sessions = [listed(9, 0.77, { session_id: "only-this-one" })];
    await d.start();
    await page.locator(".row", { hasText: "only-this-one" }).waitFor();
    await expect.poll(() => page.locator(".row").count(), SOON).toBe(1);
  });

  it("begins empty, and shows the first session by itself", async () => {
    const d = await daemon(0);
    const page = await open(d.server.url);
    await page.locator("h1", { hasText: "No sessions yet" }).waitFor();
    await expect.poll(() => text(page, ".state"), SOON).toContain("npm run demo");
    await page.waitForSelector("body[data-state=live]");
    d.sessions = [listed(1, 0.3, { session_id: "first-one" })];
    d.move(d.sessions[0] as NonNullable<(typeof d.sessions)[0]>, 0.55);
    await page.locator(".row", { hasText: "first-one" }).waitFor();
    await expect.poll(() => text(page, ".tail li"), SOON).toContain("to yellow, 55.0%");
  });

  it("asks for a token, refuses a wrong one, and keeps the right one out of every address", async () => {
    const tokens = [{ token: OPERATOR, name: "op", tenant: "default", scopes: ["operator"] }];
    const d = await daemon(5, { tokens });
    const page = await open(d.server.url, { expected: /401/ });
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    page.on("websocket", (socket) => addresses.push(socket.url()));
    await page.locator("h1", { hasText: "asks for a token" }).waitFor();
    await page.fill("#token", "not-the-token");
    await page.press("#token", "Enter");
    await page.locator(".wrong", { hasText: "does not take this token" }).waitFor();
    await page.fill("#token", OPERATOR);
    await page.click("button[type=submit]");
    await page.waitForSelector("body[data-state=live] .row");
    d.move(d.sessions[3] as NonNullable<(typeof d.sessions)[3]>, 0.97);
    await page.locator(".tail li", { hasText: "to red" }).waitFor();
    expect(addresses.filter((address) => address.includes(OPERATOR))).toEqual([]);
    expect(addresses.some((address) => address.startsWith("ws://"))).toBe(true);
  });

  it("names the error when the sessions cannot be read, and recovers", async () => {
    const d = await daemon(5);
    d.failure = new ContextdError("storage_unavailable", "The journal cannot be read: the disk is full.");
    const page = await open(d.server.url, { expected: /503/ });
    await page.locator(".state", { hasText: "the disk is full" }).waitFor();
    await expect.poll(() => text(page, "[data-slot=code]"), SOON).toBe("-32007 storage_unavailable");
    d.failure = null;
    await page.click("[data-slot=again]");
    await page.waitForSelector("body[data-state=live] .row");
  });

  it("works below a path prefix", async () => {
    const d = await daemon(5, { path_prefix: "/ops/contextd" });
    const page = await open(d.server.url);
    await page.waitForSelector("body[data-state=live] .row");
    d.move(d.sessions[3] as NonNullable<(typeof d.sessions)[3]>, 0.97);
    await page.locator(".tail li", { hasText: "to red" }).waitFor();
  });

  it("is reached by the keyboard: filter, rows, and the words for a screen reader", async () => {
    const d = await daemon(20);
    const page = await open(d.server.url);
    await page.waitForSelector(".row");
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate("document.activeElement.id"), SOON).toBe("jump");
    await page.focus("[data-slot=filter]");
    await page.keyboard.type("triage");
    const agents = d.sessions.filter((session) => session.agent === "triage").length;
    await page.locator("[data-slot=count]", { hasText: `${agents} of 20` }).waitFor();
    await page.fill("[data-slot=filter]", "");
    await expect.poll(() => text(page, "[data-slot=count]"), SOON).toBe("20");
    await page.focus(".grid");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    const current = page.locator(".row.current");
    await expect.poll(() => text(page, "#say"), SOON).toContain(await text(page, ".row.current .id"));
    await expect
      .poll(() => page.getAttribute(".grid", "aria-activedescendant"), SOON)
      .toBe(await current.getAttribute("id"));
    await expect.poll(() => page.getAttribute(".grid", "aria-rowcount"), SOON).toBe("21");
    await expect.poll(() => current.getAttribute("aria-rowindex"), SOON).toBe("3");
    const id = await text(page, ".row.current .id");
    await page.keyboard.press("Enter");
    await page.waitForFunction("location.hash.startsWith('#/session/')");
    await expect.poll(() => new URL(page.url()).hash, SOON).toBe(`#/session/${id}`);
  });

  it("takes the keyboard along to another screen, and back to the row that it came from", async () => {
    const d = await daemon(20);
    const page = await open(d.server.url);
    await page.waitForSelector("body[data-state=live] .row");
    for (let step = 0; step < 4; step++) await page.keyboard.press("j");
    const id = await text(page, ".row.current .id");
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.waitForSelector(".lab-screen form");
    await expect.poll(() => page.evaluate("document.activeElement.id"), SOON).toBe("main");
    await expect.poll(() => text(page, "#say"), SOON).toContain("Policy lab");
    await page.evaluate(`location.hash = "#/session/${id}"`);
    await page.waitForSelector(".session-screen");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".fleet-screen .row");
    await page.keyboard.press("j");
    await expect.poll(() => text(page, ".row.current .id"), SOON).toBe(id);
  });

  it("says that a screen's files could not be read, and reads them when it is loaded again", async () => {
    const d = await daemon(5);
    const page = await open(d.server.url, { at: "#/system", expected: /ERR_FAILED/ });
    await page.route("**/screens/lab/screen.js", (route) => route.abort());
    await page.reload();
    await page.waitForSelector("body[data-state=live]");
    await page.evaluate("location.hash = '#/lab'");
    await page.locator("h1", { hasText: "This screen could not be loaded" }).waitFor();
    await page.unroute("**/screens/lab/screen.js");
    await page.click("[data-slot=again]");
    await page.waitForSelector(".lab-screen form");
  });

  it("skips to the content of the screen, and stays on it", async () => {
    const d = await daemon(5);
    const page = await open(d.server.url, { at: "#/fleet?zone=red" });
    await page.waitForSelector("body[data-state=live] .row");
    await page.focus(".skip");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.id"), SOON).toBe("main");
    await expect.poll(() => new URL(page.url()).hash, SOON).toBe("#/fleet?zone=red");
    await expect.poll(() => page.locator(".row").count(), SOON).toBe(1);
  });

  it("reads anew what it missed, as often as it takes", async () => {
    const d = await daemon(5);
    const page = await open(d.server.url, { expected: LOST });
    await page.waitForSelector("body[data-state=live] .row");
    await d.stop();
    d.sequence += 50;
    d.sessions = [listed(9, 0.77, { session_id: "only-this-one" })];
    d.failure = new ContextdError("storage_unavailable", "The journal cannot be read: the disk is full.");
    const refused = page.waitForResponse((response) => response.status() === 503);
    await d.start();
    await refused;
    await page.waitForSelector("body[data-state=live]");
    d.failure = null;
    await page.locator(".row", { hasText: "only-this-one" }).waitFor();
    await expect.poll(() => page.locator(".row").count(), SOON).toBe(1);
  });

  it("brings the alerts into view from the bell on another screen, on a small one", async () => {
    const d = await daemon(40);
    d.alerts = [
      { alert: "ContextZoneRed", severity: "warning", summary: "red", turn: 3, session_id: d.sessions[0]?.session_id },
    ];
    const page = await open(d.server.url, { at: "#/lab", width: 400 });
    await page.waitForSelector(".lab-screen form");
    await page.locator("#bar-bell", { hasText: "1" }).click();
    await page.locator("[data-slot=alerts-panel]").waitFor();
    const isInView = () =>
      page.evaluate(
        "(({ top, bottom }) => top < innerHeight && bottom > 0)(document.querySelector('[data-slot=alerts-panel] li').getBoundingClientRect())",
      );
    await expect.poll(isInView, SOON).toBe(true);
  });

  it("keeps the rows where they are while the pointer is among them", async () => {
    const d = await daemon(10);
    const page = await open(d.server.url);
    await page.waitForSelector("body[data-state=live] .row");
    const order = (): Promise<string[]> =>
      page.evaluate(
        "[...document.querySelectorAll('.row')].sort((a, b) => parseFloat(a.style.getPropertyValue('--y')) - parseFloat(b.style.getPropertyValue('--y'))).map((r) => r.querySelector('.id').textContent)",
      );
    const before = await order();
    await page.hover(".row");
    const last = d.sessions.find((session) => session.session_id === before.at(-1));
    d.move(last as NonNullable<typeof last>, 0.99);
    await page.locator(".row", { hasText: "99.0%" }).waitFor();
    await expect.poll(() => order(), SOON).toEqual(before);
    await page.mouse.move(5, 5);
    await expect.poll(async () => (await order())[0]).toBe(last?.session_id);
  });

  it("makes only the rows in view, at 5,000 sessions as at 50", async () => {
    const d = await daemon(5_000);
    const page = await open(d.server.url);
    await page.waitForSelector(".row");
    await expect.poll(() => text(page, "[data-slot=count]"), SOON).toBe("5,000");
    await expect.poll(() => page.evaluate("document.querySelectorAll('*').length"), SOON).toBeLessThan(2_000);
    await page.evaluate("document.querySelector('.grid').scrollTop = 1e9");
    await page.locator(".row .red-in", { hasText: "–" }).first().waitFor();
  });

  it.each([320, 400, 720, 1000, 1240, 1440, 1920, 2560])(
    "has no sideways scroll at %i px, dark or light",
    async (width) => {
      const d = await daemon(30);
      for (const scheme of ["dark", "light"] as const) {
        const page = await open(d.server.url, { width, scheme });
        await page.waitForSelector(".row");
        expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
      }
    },
  );

  it.each(["dark", "light"] as const)("has nothing that axe-core calls serious, %s", async (scheme) => {
    const d = await daemon(30);
    d.alerts = [{ alert: "ToolResultBloat", severity: "warning", summary: "Tool results hold 63%.", session_id: "a" }];
    const page = await open(d.server.url, { scheme });
    await page.waitForSelector("body[data-state=live] .row");
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("has text of enough contrast in both themes", async () => {
    const d = await daemon(30);
    for (const scheme of ["dark", "light"] as const) {
      const page = await open(d.server.url, { scheme });
      await page.waitForSelector("body[data-state=live] .row");
      d.move(d.sessions[3] as NonNullable<(typeof d.sessions)[3]>, scheme === "dark" ? 0.97 : 0.3);
      await page.locator(".tail li").first().waitFor();
      await expect.poll(() => page.evaluate(FAINT_TEXT), SOON).toEqual([]);
    }
  });
});

/** Runs in the page: texts whose contrast to the ground behind them is under 4.5, with the ratio. */
const FAINT_TEXT = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== "");
    if (!own || !node.checkVisibility() || node.closest(".unseen, .skip, .fresh, noscript")) continue;
    const [a, b] = [luminance(parse(getComputedStyle(node).color)), luminance(ground(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.push(node.className + " " + node.textContent.slice(0, 20) + " " + ratio.toFixed(2));
  }
  return faint;
})()`;
