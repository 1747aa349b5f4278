import type { Page, WebSocketRoute } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { DecidedSession, type Explained } from "../support/decided-session.ts";
import { SOON, seriousFindings, textOf } from "../support/open-page.ts";
import { watchedDaemon } from "../support/watched-daemon.ts";

let session: DecidedSession;
let pass: Explained;

const watched = watchedDaemon(async (daemon) => {
  session = await DecidedSession.open(daemon.client, { id: "acted-on" });
  pass = await session.decide();
});
const { opener } = watched;

/** Each screen that acts, by its address, with the buttons that do. */
async function screens(of: DecidedSession, { pass_id: passId, taken }: Explained): Promise<[string, string[]][]> {
  const gone = taken.find(({ type }) => type === "tool_result")?.block_id;
  const { blocks } = await of.agent.read<{ blocks: { block_id: string; type: string; state: string }[] }>(
    "context.get",
    { include: ["blocks"] },
  );
  const live = blocks.find(({ type, state }) => type === "tool_result" && state === "whole")?.block_id;
  return [
    [`#/session/${of.id}?block=${live}`, ["Save checkpoint", "Open window", "Compact now", "Pin"]],
    [`#/session/${of.id}/decision/${passId}?block=${gone}`, ["Bring back"]],
    ["#/lab", ["Replay", "Watch"]],
  ];
}

/** A page whose stream goes through the test: `cut` closes it and refuses others until `mend`. */
async function openCuttable(): Promise<{ page: Page; cut: () => Promise<void>; mend: () => Promise<void> }> {
  const page = await opener.open(watched.daemon.url, { at: "#/system" });
  const sockets: WebSocketRoute[] = [];
  let isCut = false;
  await page.routeWebSocket("**/events?**", async (socket) => {
    if (isCut) return socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.reload();
  return {
    page,
    cut: async () => {
      isCut = true;
      for (const socket of sockets.splice(0)) await socket.close();
      await page.locator("body[data-state=offline]").waitFor();
    },
    mend: async () => {
      isCut = false;
      // It may connect by itself meanwhile, and the button be gone.
      await page.evaluate("document.querySelector('#banner button').click()");
      await page.locator("body[data-state=live]").waitFor();
    },
  };
}

const button = (page: Page, name: string) => page.locator("main").getByRole("button", { name, exact: true });

/** All of them are there, off, and say why. */
async function expectOff(page: Page, names: readonly string[], why: RegExp): Promise<void> {
  for (const name of names) {
    await button(page, name).waitFor();
    await expect.poll(() => button(page, name).getAttribute("aria-disabled"), SOON).toBe("true");
    await expect.poll(() => button(page, name).getAttribute("aria-description"), SOON).toMatch(why);
  }
}

async function expectOn(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await button(page, name).waitFor();
    await expect.poll(() => button(page, name).getAttribute("aria-disabled"), SOON).toBeNull();
  }
}

describe.runIf(hasChromium)("what acts on the daemon", () => {
  it("is off on every screen while the connection is lost, says why, and is offered again without a reload", async () => {
    const { page, cut, mend } = await openCuttable();
    for (const [at, names] of await screens(session, pass)) {
      await page.goto(`${watched.daemon.url}/${at}`);
      await page.locator("body[data-state=live]").waitFor();
      await expectOn(page, names);
      await cut();
      await expectOff(page, names, /connection to the daemon is lost/);
      const first = button(page, names[0] as string);
      await first.focus();
      await page.locator("#tip", { hasText: "connection to the daemon is lost" }).waitFor();
      await expect.poll(() => first.evaluate((node) => node === node.ownerDocument.activeElement), SOON).toBe(true);
      await page.keyboard.press("Enter");
      await expect.poll(() => textOf(page, "#say"), SOON).toContain("connection to the daemon is lost");
      await expect.poll(() => page.locator("#confirm").isVisible(), SOON).toBe(false);
      await mend();
      await expectOn(page, names);
      await expect.poll(() => page.locator("#tip").isVisible(), SOON).toBe(false);
    }
  });

  it("is not gone on with when the connection is lost while the dialog asks", async () => {
    const { page, cut, mend } = await openCuttable();
    await page.goto(`${watched.daemon.url}/#/session/${session.id}`);
    await button(page, "Compact now").click();
    await page.locator("#confirm button.primary").waitFor();
    await cut();
    await page.locator("#confirm .wrong", { hasText: "connection to the daemon is lost" }).waitFor();
    await page.locator("#confirm button.primary").click({ force: true });
    await expect.poll(() => page.locator("#confirm").isVisible(), SOON).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await page.locator("#confirm button", { hasText: "Cancel" }).click();
    await mend();
  });

  it("is off for a token without the scope, which can still read", async () => {
    const page = await opener.open(watched.daemon.url, { at: "#/system" });
    await page.route("**/rpc", async (route) => {
      if (!route.request().postData()?.includes('"status.report"')) return route.continue();
      const response = await route.fetch();
      const answer = (await response.json()) as { result: Record<string, unknown> };
      answer.result["scopes"] = ["agent"];
      await route.fulfill({ response, json: answer });
    });
    await page.reload();
    for (const [at, names] of (await screens(session, pass)).slice(0, 2)) {
      await page.goto(`${watched.daemon.url}/${at}`);
      await expectOff(page, names, /scope operator/);
      await page.locator(".why-off", { hasText: "scope operator" }).waitFor();
    }
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("is off for a closed session, as soon as it is closed", async () => {
    const mine = await DecidedSession.open(watched.daemon.client, { id: "closed-meanwhile" });
    const decided = await mine.decide();
    const page = await opener.open(watched.daemon.url);
    const [[ofSession, actions], [ofDecision, blockActions]] = (await screens(mine, decided)) as [
      [string, string[]],
      [string, string[]],
    ];
    await page.goto(`${watched.daemon.url}/${ofDecision}`);
    await expectOn(page, blockActions);
    await mine.agent.call("session.close");
    await expectOff(page, blockActions, /session is closed/);
    await page.goto(`${watched.daemon.url}/${ofSession}`);
    await expectOff(page, actions.slice(0, 3), /session is closed/);
  });
});
