import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { DecidedSession, type Explained, hostilePage } from "../support/decided-session.ts";
import { SOON, seriousFindings, sidewaysScroll, textOf } from "../support/open-page.ts";
import { watchedDaemon } from "../support/watched-daemon.ts";

let session: DecidedSession;
/** A pass of the session that another follows, with a value that was needed again. */
let pass: Explained;
let missed: string;

const watched = watchedDaemon(async (daemon) => {
  session = await DecidedSession.open(daemon.client, { id: "decided" });
  const decided = await session.decide();
  missed = await session.miss(decided);
  await session.decide();
  pass = await session.explain(decided.pass_id);
});
const { opener } = watched;

const STEPS = ["Trigger", "Considered", "Taken", "Kept", "After", "Since"];
const address = (id: string, passId: string, query = ""): string =>
  `#/session/${encodeURIComponent(id)}/decision/${passId}${query}`;
/** An expected need as the page tells it. */
const figure = (need: number | null | undefined): string =>
  (need ?? 0) >= 0.1 ? (need ?? 0).toFixed(2) : String(Number((need ?? 0).toPrecision(2)));
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
const whole = (n: number): string => Math.round(n).toLocaleString("en-US");

async function openDecision(query = "", options: { width?: number; scheme?: "dark" | "light" } = {}): Promise<Page> {
  const page = await opener.open(watched.daemon.url, { at: address(session.id, pass.pass_id, query), ...options });
  await page.waitForSelector(".line");
  return page;
}

/** Lines of the original that the page marks, opened as far as they are folded. */
async function markedLines(page: Page, kind: "kept" | "missed"): Promise<number[]> {
  const numbers = await page.locator(`.line.${kind}`).evaluateAll((nodes) => nodes.map((node) => node.dataset["line"]));
  return numbers.map(Number).sort((a, b) => a - b);
}

function keptLinesOf(blockId: string): number[] {
  const entries = pass.carried.ledger?.entries ?? [];
  const lines = entries.flatMap(({ block_id, line }) => (block_id === blockId && line !== null ? [line] : []));
  return [...new Set(lines)].sort((a, b) => a - b);
}

describe.runIf(hasChromium)("a decision on the page", () => {
  it("tells the figures that pass.explain tells", async () => {
    const page = await openDecision();
    const blocks = new Set(pass.taken.map(({ block_id }) => block_id)).size;
    const freed = whole(pass.tokens_before - pass.tokens_after);
    await expect
      .poll(() => textOf(page, "h1"), SOON)
      .toBe(`Turn ${pass.turn}: edited ${blocks} blocks: all evicted, freed ${freed} tok`);
    const steps = await page.locator(".steps li").allTextContents();
    await expect.poll(() => page.locator(".steps .step-name").allTextContents(), SOON).toEqual(STEPS);
    expect(steps[0]).toContain(`${((100 * pass.tokens_before) / pass.max_tokens).toFixed(1)}%`);
    expect(steps[0]).toContain(`${whole(pass.tokens_before)} tok`);
    expect(steps[1]).toContain(`${pass.considered?.blocks} blocks`);
    expect(steps[2]).toContain(`${blocks} blocks`);
    expect(steps[3]).toContain(`${pass.carried.ledger?.lines} line`);
    expect(steps[4]).toContain(`${whole(pass.tokens_after)} tok`);
    expect(steps[5]).toContain("needed again");
    const { fidelity, gate, shallower } = pass;
    const kinds = Object.keys(fidelity?.by_type ?? {}).length;
    expect(kinds).toBeGreaterThan(1);
    const kept = page.locator("section", { hasText: "Did it keep what matters?" }).last();
    await kept.getByText(`is the mean over ${kinds} kinds of facts; ${fidelity?.kept} of all`).waitFor();
    expect(gate).not.toBeNull();
    const words = await textOf(page, "main");
    expect(words.includes("A pass half as deep")).toBe(shallower !== null);
    if (shallower !== null) expect(shallower.tokens_freed).toBeLessThan(gate?.["tokens_freed"] as number);
  });

  it("tells of one pass what the tail of events and the session's decisions tell of it", async () => {
    const mixed = await DecidedSession.open(watched.daemon.client, { id: "mixed" });
    for (let step = 0; step < 5; step++) await mixed.agent.step();
    const opened = await opener.open(watched.daemon.url, { at: "#/fleet?events=edit&of=mixed" });
    await opened.locator("body[data-state=live]").waitFor();
    await mixed.agent.call("context.compact", { target_utilization: 0.1 });
    const made = await mixed.newest();
    const blocks = new Set(made.taken.map(({ block_id }) => block_id)).size;
    // A call and its result go as one: more blocks than decisions.
    expect(blocks).toBeGreaterThan(new Set(made.taken.map(({ title }) => title)).size);
    const said = `edited ${blocks} blocks`;
    const told = opened.locator(`.tail a[href*="decision/${made.pass_id}"]`, { hasText: said });
    await told.waitFor();
    await opened.goto(`${watched.daemon.url}/#/session/mixed`);
    const row = opened.locator(`a.decision[href$="decision/${made.pass_id}"]`);
    const what = (await row.locator(".decision-what b").textContent()) ?? "";
    expect(what.toLowerCase()).toContain(`${said}: `);
    expect(what).toContain(`kept ${made.carried.ledger?.lines} line`);
    const kind = await row.locator(".decision-kind").textContent();
    await row.click();
    const title = opened.locator("h1", { hasText: `Turn ${made.turn}: ${said}: ` });
    await title.waitFor();
    const deed = /edited .*?(?=, freed)/.exec((await title.textContent()) ?? "")?.[0] ?? "none";
    expect(what.toLowerCase()).toContain(deed);
    await expect.poll(() => textOf(opened, "[data-slot=crumb]"), SOON).toBe(`${kind} at turn ${made.turn}`);
    await expect.poll(() => textOf(opened, ".steps li:nth-child(3)"), SOON).toContain(`${blocks} blocks`);
  });

  it("opens the reason of the block that was needed again first, with the parts of its score", async () => {
    const page = await openDecision();
    const block = pass.taken.find(({ regret }) => regret.length > 0);
    await expect.poll(() => textOf(page, ".taken-row[aria-current] .since"), SOON).toMatch(/used again at \d+/);
    await expect.poll(() => textOf(page, ".block-name h2"), SOON).toBe(block?.title);
    const parts = await page.locator(".parts tbody td:last-child").allTextContents();
    expect(parts.map((part) => Number(part.replace("−", "-")))).toEqual(
      block?.signals.map(({ part }) => Number(part.toFixed(3))),
    );
    await expect.poll(() => textOf(page, ".parts tfoot td"), SOON).toBe(block?.score?.toFixed(3));
    await expect.poll(() => textOf(page, ".missed-notice"), SOON).toContain(missed);
  });

  it("marks the kept lines at their numbers, and the line that was needed later with its turn", async () => {
    const page = await openDecision();
    const block = pass.taken.find(({ regret }) => regret.length > 0);
    expect(await markedLines(page, "kept")).toEqual(keptLinesOf(block?.block_id ?? ""));
    expect(await markedLines(page, "missed")).toEqual([block?.regret[0]?.line]);
    const line = page.locator(".line.missed");
    expect(await line.locator("code").textContent()).toContain(missed);
    expect(await line.locator(".needed").textContent()).toContain(`needed at turn ${block?.regret[0]?.turn}`);
    // Another block, whose lines the ledger kept.
    const kept = pass.taken.find(({ block_id }) => keptLinesOf(block_id).length > 0);
    await page.locator(`[data-block="${kept?.block_id}"]`).click();
    await page.locator(".block-name h2", { hasText: kept?.title ?? "none" }).waitFor();
    await page.locator(".line.kept").first().waitFor();
    expect(await markedLines(page, "kept")).toEqual(keptLinesOf(kept?.block_id ?? ""));
    const own = await page.locator(".instead .own code").allTextContents();
    const entries = pass.carried.ledger?.entries.filter(({ block_id }) => block_id === kept?.block_id) ?? [];
    expect(own).toEqual(entries.map(({ text, line: at }) => (at === null ? text : `${text} line ${at}`)));
  });

  it("says of the line that was missed what it was expected to be needed, and what was carried over then", async () => {
    const page = await openDecision("", { width: 1_100 });
    const regret = pass.taken.flatMap((block) => block.regret).find(({ line }) => line !== null);
    expect(regret?.need).toBeGreaterThan(0);
    const words = `need ${figure(regret?.need)}, cut off at ${figure(regret?.cut_off)}`;
    for (const place of [".line.missed .needed", ".missed-notice", ".again-panel .need"]) {
      await page.locator(place, { hasText: words }).first().waitFor();
    }
    // In view as it stands, though its line is longer than the panel.
    const note = page.locator(".line.missed .needed");
    const own = await note.boundingBox();
    const box = await page.locator(".source", { has: page.locator(".lines") }).boundingBox();
    if (own === null || box === null) throw new Error("the line is not shown");
    expect(own.x).toBeGreaterThanOrEqual(box.x);
    expect(own.x + own.width).toBeLessThanOrEqual(box.x + box.width);
    expect(own.y).toBeGreaterThanOrEqual(box.y);
    expect(own.y + own.height).toBeLessThanOrEqual(box.y + box.height);
  });

  it("says so where an earlier version made the pass: weights and thresholds are those in force now", async () => {
    const told = (page: Page) => page.locator(".reason, .steps li", { hasText: "settings in force now" });
    await expect.poll(async () => told(await openDecision()).count(), SOON).toBe(0);
    const page = await opener.open(watched.daemon.url);
    await page.route("**/rpc", async (route) => {
      if (!route.request().postData()?.includes('"pass.explain"')) return route.continue();
      const response = await route.fetch();
      const answer = (await response.json()) as { result: Record<string, unknown> };
      Object.assign(answer.result, { recorded: false, cause: "orange" });
      await route.fulfill({ response, json: answer });
    });
    await page.goto(`${watched.daemon.url}/${address(session.id, pass.pass_id)}`);
    await expect.poll(() => told(page).count(), SOON).toBe(2);
  });

  it("is three clicks from the fleet: the session, its decision, and the reason stands open", async () => {
    const page = await opener.open(watched.daemon.url);
    await page.locator(".row", { hasText: session.id }).first().click();
    await page.locator(`main a[href$="/decision/${pass.pass_id}"]`).first().click();
    await expect.poll(() => textOf(page, ".missed-notice"), SOON).toContain(missed);
  });

  it("is walked by the keyboard, and its address opens the same block again", async () => {
    const page = await openDecision();
    const first = await textOf(page, ".block-name h2");
    await page.keyboard.press("j");
    const second = await page.getAttribute(".taken-row[aria-current]", "data-block");
    await expect.poll(() => page.url(), SOON).toContain(`?block=${second}`);
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => textOf(page, ".block-name h2"), SOON).toBe(first);
    await page.focus("canvas.ribbon");
    await page.keyboard.press("Home");
    await page.locator("#tip", { hasText: "tok" }).waitFor();
    await page.keyboard.press("Enter");
    const chosen = await page.getAttribute(".taken-row[aria-current]", "data-block");
    expect(pass.taken.map(({ block_id }) => block_id)).toContain(chosen);
    const again = await openDecision(`?block=${second}`);
    await expect.poll(() => again.getAttribute(".taken-row[aria-current]", "data-block"), SOON).toBe(second);
  });

  it("leads to the decision behind it and back, by links and by keys", async () => {
    const page = await openDecision();
    await expect.poll(() => page.getAttribute("[data-slot=earlier]", "aria-disabled"), SOON).toBe("true");
    await page.keyboard.press("]");
    const later = await session.explain(pass.next_pass_id ?? "none");
    await page.locator("h1", { hasText: `Turn ${later.turn}:` }).waitFor();
    await expect.poll(() => page.url(), SOON).toContain(`/decision/${later.pass_id}`);
    await page.click("[data-slot=earlier]");
    await page.locator("h1", { hasText: `Turn ${pass.turn}:` }).waitFor();
    await page.locator(".crumbs a.mono").click();
    await expect.poll(() => page.url(), SOON).toMatch(/#\/session\/decided$/);
  });

  it("shows hostile content as text, at once however long it is, and opens folds step by step", async () => {
    const { client } = watched.daemon;
    const name = "<img src=x onerror=window.owned=1>\u202e";
    const settings = { eviction: { policy: "fifo", keep_recent_units: 1 }, ledger: { enabled: false } };
    const hostile = await DecidedSession.open(client, { id: name, window: 400_000, page: hostilePage, settings });
    for (let step = 0; step < 4; step++) await hostile.agent.step();
    await hostile.agent.call("context.compact", { target_utilization: 0.01 });
    const decided = await hostile.newest();
    const block = decided.taken.find(({ tokens_before }) => tokens_before > 10_000);
    const page = await opener.open(watched.daemon.url, {
      at: address(name, decided.pass_id, `?block=${block?.block_id}`),
      width: 400,
    });
    await page.waitForSelector(".line");
    await expect.poll(() => textOf(page, ".line code"), SOON).toBe("<script>window.owned = 1</script>");
    await expect.poll(() => page.locator("main script, main img").count(), SOON).toBe(0);
    await expect.poll(() => page.locator(".line").count(), SOON).toBe(40);
    await page.locator(".line .rest").first().click();
    await expect.poll(() => page.locator(".line code").nth(3).textContent(), SOON).toMatch(/x end$/);
    await page.locator(".fold").click();
    await expect.poll(() => page.locator(".line").count(), SOON).toBe(240);
    await expect.poll(() => textOf(page, ".fold"), SOON).toContain("more lines, not kept");
    expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => page.evaluate("window.owned"), SOON).toBeUndefined();
  });

  it("brings an original back when it is agreed to, says what that costs, and shows that it is back", async () => {
    const mine = await DecidedSession.open(watched.daemon.client, { id: "brought-back" });
    const decided = await mine.decide();
    const block = decided.taken.find(({ type }) => type === "tool_result");
    const at = address(mine.id, decided.pass_id, `?block=${block?.block_id}`);
    const page = await opener.open(watched.daemon.url, { at });
    const button = page.locator(".block-actions button", { hasText: "Bring back" });
    await button.click();
    const asked = await textOf(page, "#confirm");
    const added = Number(/Adds ([\d,]+) tok: /.exec(asked)?.[1]?.replace(",", ""));
    const share = async () => {
      const session = await mine.agent.read<{ tokens: number; max_tokens: number }>("session.get", {});
      return { tokens: session.tokens, words: percent(session.tokens / session.max_tokens) };
    };
    const before = await share();
    expect(asked).toContain(`goes from ${before.words} to about`);
    await page.locator("#confirm button", { hasText: "Cancel" }).click();
    expect((await contextOf(mine)).join("\n")).not.toContain("row 3 of step 0:");
    await button.click();
    await page.locator("#confirm button.primary").click();
    await page.locator(".back", { hasText: `the context has ${whole(added)} tok more` }).waitFor();
    await button.waitFor({ state: "detached" });
    const after = await share();
    expect(after.tokens - before.tokens).toBe(added);
    expect(asked).toContain(`to about ${after.words}`);
    // The keyboard is where the button was, also once what came of it has been read.
    const place = "document.activeElement.className";
    const { original } = await mine.agent.read<{ original: string }>("content.get", {
      block_id: block?.block_id ?? "",
    });
    expect((await contextOf(mine)).join("\n")).toContain(original);
    // The daemon counts it as a need, which the page learns by the stream.
    await page.locator(".taken-row[aria-current] .since", { hasText: "recalled" }).waitFor();
    await expect.poll(() => page.evaluate(place), SOON).toContain("back");
  });

  it("says that an original cannot be read, keeps the rest, and reads it when asked again", async () => {
    const page = await opener.open(watched.daemon.url, { expected: /503/ });
    let refused = true;
    await page.route("**/rpc", async (route) => {
      const isRead = route.request().postData()?.includes('"content.get"') === true;
      if (!isRead || !refused) return route.continue();
      const error = { code: -32007, message: "The disk is full.", data: { reason: "storage_unavailable" } };
      return route.fulfill({ status: 503, json: { jsonrpc: "2.0", id: 1, error } });
    });
    await page.goto(`${watched.daemon.url}/${address(session.id, pass.pass_id)}`);
    const failed = page.locator(".detail .failed");
    await failed.waitFor();
    expect(await failed.textContent()).toContain("The disk is full.-32007 storage_unavailable");
    await expect.poll(() => textOf(page, ".parts tfoot"), SOON).toContain("Score");
    refused = false;
    await failed.locator("button").click();
    await page.waitForSelector(".line");
  });

  it("learns of a need while one looks at it", async () => {
    const mine = await DecidedSession.open(watched.daemon.client, { id: "looked-at" });
    const decided = await mine.decide();
    const page = await opener.open(watched.daemon.url, { at: address(mine.id, decided.pass_id) });
    await page.locator(".again-panel", { hasText: "Nothing that went was needed again" }).waitFor();
    await page.waitForSelector("body[data-state=live]");
    const value = await mine.miss(decided);
    await page.locator(".need", { hasText: value }).waitFor();
    await expect.poll(() => page.locator(".steps li").last().textContent(), SOON).toContain("1 needed again");
  });

  it("says that nothing stands at the address of an unknown pass or session", async () => {
    for (const at of [address(session.id, "p999"), address("nobody", "p1")]) {
      const page = await opener.open(watched.daemon.url, { at, expected: /404/ });
      await page.locator(".state h1", { hasText: "Not found" }).waitFor();
    }
  });

  it.each([400, 1280, 2560])(
    "has no sideways scroll and no serious finding at %i px, dark and light",
    async (width) => {
      for (const scheme of ["dark", "light"] as const) {
        const page = await openDecision("", { width, scheme });
        expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
        expect(await seriousFindings(page)).toEqual([]);
      }
    },
  );
});

/** Texts of the session's messages. */
async function contextOf({ agent }: DecidedSession): Promise<string[]> {
  const { messages } = await agent.context();
  return messages.map(({ content }) => String(content));
}
