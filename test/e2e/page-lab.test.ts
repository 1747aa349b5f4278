import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { playRun } from "../shadow/recorded-agent.ts";
import { hasChromium } from "../support/chromium.ts";
import { DaemonProcess, runCommand } from "../support/daemon-process.ts";
import type { TestManager } from "../support/manager.ts";
import { type OpenOptions, PageOpener, SOON, seriousFindings, sidewaysScroll } from "../support/open-page.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Replay {
  readonly status: string;
  readonly window: string;
  readonly policies_asked: readonly string[];
  readonly policies: readonly (JsonObject & { policy: string; line_recall: { mean: number } })[];
  readonly pairs: readonly { figure: string; a: number; b: number; difference: { mean: number }; verdict: string }[];
  readonly runs: readonly { id: string; difference: number; compared_turns: number; same_turns: number }[];
  readonly timeline: { run: string; b: { tokens: number[]; edits: number[]; lost: unknown[] } };
}

/** Folder that takes a picture at every width in both themes; unset: none is kept. */
const PICTURES = process.env["CONTEXTD_SCREENSHOTS"];

const folder = temporaryFolder();
let daemon: DaemonProcess;
const pages = new PageOpener();

beforeAll(async () => {
  daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
  if (hasChromium) await pages.start();
});
afterAll(async () => {
  await pages.stop();
  await daemon[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});
afterEach(async () => {
  expect(await pages.complaints()).toEqual([]);
});

/** Sessions that an agent worked through by the hooks; `agent` makes each a task of its own. */
async function work(sessions: Readonly<Record<string, number>>): Promise<void> {
  const host = {
    clock: { advance() {} },
    call: (method: string, params: JsonObject) => daemon.client.call(method, params),
  } as unknown as TestManager;
  for (const [session_id, turns] of Object.entries(sessions))
    await playRun(host, { session_id, agent: session_id, turns });
}

const open = (at: string, options: OpenOptions = {}): Promise<Page> =>
  pages.open(daemon.url, { width: 1280, at, ...options });

const latest = (run?: string) => daemon.client.call<Replay>("replay.get", run === undefined ? {} : { run });

/** As the page writes a recall. */
const recall = (value: number) =>
  value
    .toFixed(3)
    .replace(/^(-?)0\./, "$1.")
    .replace("-", "\u2212");

describe.runIf(hasChromium)("the policy lab", () => {
  it("says how to come by a session where none is open", async () => {
    const page = await open("#/lab");
    await page.locator(".lab-empty", { hasText: "contextd demo" }).waitFor();
    await expect.poll(() => page.locator(".lab-form button").isDisabled(), SOON).toBe(true);
    await page.locator(".lab-shadow", { hasText: "No session is watched." }).waitFor();
  });

  it("replays open sessions and shows what replay.get tells", async () => {
    await work({ alpha: 81, beta: 60, gamma: 45 });
    const page = await open("#/lab?a=plain_sliding&b=hybrid&window=6k");
    await page.locator(".lab-form button", { hasText: "Replay" }).click();
    await page.locator(".lab-progress", { hasText: /Run \d of 3|Summing up/ }).waitFor();
    await page.waitForSelector(".lab-score", { timeout: 180_000 });
    const replay = await latest();
    expect(replay).toMatchObject({ status: "done", window: "6k" });
    expect(replay.policies_asked.slice(0, 2)).toEqual(["plain_sliding", "hybrid"]);
    expect(replay.runs).toHaveLength(3);
    const line = replay.pairs.find(({ figure }) => figure === "line_recall");
    const cells = await page.locator("tr[data-figure=line_recall] td").allTextContents();
    expect(cells[0]).toBe(recall(line?.a ?? 0));
    expect(cells[1]).toBe(recall(line?.b ?? 0));
    expect(cells[2]).toContain(recall(Math.abs(line?.difference.mean ?? 0)));
    expect(cells[2]).toMatch(
      { better: /better$/, worse: /worse$/, equal: /no difference$/ }[line?.verdict ?? ""] ?? /few/,
    );
    await page.locator(".lab-details summary").click();
    for (const { policy, line_recall } of replay.policies) {
      await expect
        .poll(() => page.locator(`tr[data-policy="${policy}"] td`).first().textContent(), SOON)
        .toBe(recall(line_recall.mean));
    }
    await expect
      .poll(() => page.locator(".lab-run[role=option] .lab-run-id").allTextContents(), SOON)
      .toEqual(replay.runs.map(({ id }) => id));
    const [compared, same] = (["compared_turns", "same_turns"] as const).map((figure) =>
      replay.runs.reduce((sum, run) => sum + run[figure], 0),
    );
    await page.getByText(`Both sent the same context in ${same} of ${compared} turns after the first edit.`).waitFor();
    await expect.poll(() => new URL(page.url()).hash, SOON).toContain("replay=");
    // The address names the replay: whoever opens it sees the same one.
    const again = await open(new URL(page.url()).hash);
    await again.waitForSelector(".lab-score");
    await expect.poll(() => again.locator("h1").textContent(), SOON).toBe(await page.locator("h1").textContent());
  });

  it("finds what `contextd replay` finds in the exported sessions", async () => {
    const { policies_asked, policies } = await latest();
    const files: string[] = [];
    for (const id of ["alpha", "beta", "gamma"]) {
      const file = join(folder.path, `${id}.jsonl`);
      files.push(file);
      expect(await runCommand(["export", id, "--url", daemon.url, "-o", file])).toMatchObject({ code: 0 });
    }
    expect(readFileSync(files[0] as string, "utf8")).toContain('"max_context_tokens":9000');
    const { stdout } = await runCommand(["replay", ...files, "-p", policies_asked.join(","), "-w", "6k", "--json"]);
    const { results } = JSON.parse(stdout) as { results: { policy: string; line: unknown; cost: unknown }[] };
    expect(policies.map(({ policy, line_recall, relative_cost }) => ({ policy, line_recall, relative_cost }))).toEqual(
      results.map(({ policy, line, cost }) => ({ policy, line_recall: line, relative_cost: cost })),
    );
  });

  it("chooses a run by keyboard, draws it, and keeps it in the address", async () => {
    const page = await open("#/lab");
    await page.waitForSelector(".lab-score");
    const { runs } = await latest();
    await page.locator(".lab-runs").focus();
    // The last one may be the one that is shown at first.
    await page.keyboard.press("Home");
    await page.keyboard.press("End");
    const last = runs.at(-1)?.id ?? "";
    await page.locator(`.lab-run[aria-selected=true]`, { hasText: last }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toContain(`run=${last}`);
    const { timeline } = await latest(last);
    await page.locator("figcaption", { hasText: `${timeline.b.edits.length} turns edited` }).waitFor();
    const fullness = timeline.b.tokens.reduce((sum, tokens) => sum + tokens, 0) / timeline.b.tokens.length / 6000;
    await page.locator("figcaption", { hasText: `window filled ${(fullness * 100).toFixed(0)}%, peak` }).waitFor();
    await page.locator("canvas.lab-timeline").last().focus();
    await page.keyboard.press("Home");
    await expect.poll(() => page.locator("#say").textContent(), SOON).toMatch(/^Turn 1\. A: .* tok\. B: .* tok/);
    await page.keyboard.press("k");
    await page.locator(`.lab-run[aria-selected=true]`, { hasText: runs.at(-2)?.id ?? "" }).waitFor();
    await page.locator("#say", { hasText: `Run ${runs.length - 1} of ${runs.length}: ${runs.at(-2)?.id}` }).waitFor();
  });

  it("says what the address names and it does not have, and shows no other replay in its place", async () => {
    const { replay_id } = (await latest()) as Replay & { replay_id: string };
    const page = await open("#/lab?replay=gone");
    await page.locator(".lab-notice", { hasText: "The replay gone is not known" }).waitFor();
    await expect.poll(() => page.locator(".lab-score").count(), SOON).toBe(0);
    await page.locator(".lab-notice a", { hasText: "Show the latest" }).click();
    await page.waitForSelector(".lab-score");
    await expect.poll(() => page.url(), SOON).toContain(`replay=${replay_id}`);
    await expect.poll(() => page.locator(".lab-notice").textContent()).toBe("");
    const other = await open(`#/lab?replay=${replay_id}&run=zzz`, { expected: /400/ });
    await other.locator(".lab-notice", { hasText: "The run zzz is not of this replay." }).waitFor();
    await other.waitForSelector(".lab-score");
    expect(other.url()).not.toContain("zzz");
  });

  it("cancels a replay, and says why another cannot begin", async () => {
    const page = await open("#/lab?a=none&b=fifo&window=25%25");
    await page.locator(".lab-form button").click();
    await page.locator(".lab-progress button", { hasText: "Cancel" }).click();
    await page.locator(".lab-progress", { hasText: /^Cancelled after/ }).waitFor();
    expect((await latest()).status).toBe("cancelled");
    await page.locator("#lab-session").fill("nobody");
    await page.locator(".lab-form button").click();
    await page.locator(".lab-failure", { hasText: "Session nobody is not open" }).waitFor();
    await expect.poll(() => page.locator(".lab-failure code").textContent(), SOON).toBe("-32001 session_not_found");
  });

  it("watches a session in shadow once that was confirmed, and unwatches it", async () => {
    const page = await open("#/lab");
    await page.locator("#lab-watch").fill("alpha");
    await page.locator(".lab-watch button").click();
    await page.locator("dialog[open] button", { hasText: "Watch" }).click();
    await page.locator(".lab-watched li", { hasText: "alpha" }).waitFor();
    await page.locator("tr[data-policy=live]").waitFor();
    await page.locator(".lab-watched button", { hasText: "Unwatch" }).click();
    await page.locator("dialog[open] button", { hasText: "Unwatch" }).click();
    await page.locator(".lab-watched li", { hasText: "ended: unwatched" }).waitFor();
  });

  it.each([400, 1280, 2560].flatMap((width) => (["dark", "light"] as const).map((scheme) => ({ width, scheme }))))(
    "with its figures is whole and readable for everybody, $scheme at $width px",
    async ({ width, scheme }) => {
      const { replays } = await daemon.client.call<{ replays: { replay_id: string; status: string }[] }>(
        "replay.list",
        {},
      );
      const done = replays.find(({ status }) => status === "done");
      const page = await open(`#/lab?replay=${done?.replay_id}`, { width, scheme });
      await page.waitForSelector(".lab-run[aria-selected=true]");
      await page.waitForSelector(".lab-frontier svg");
      await page.locator(".lab-details summary").click();
      expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
      expect(await seriousFindings(page)).toEqual([]);
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `lab-${width}-${scheme}.png`), fullPage: true });
    },
  );
});
