import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";

export interface OpenOptions {
  width?: number;
  height?: number;
  scheme?: "dark" | "light";
  /** Behind the daemon's address, such as `#/session/a`. */
  at?: string;
  /** Complaints that the test provokes: a refused connection is one. */
  expected?: RegExp;
  /** As `forced-colors: active` and `prefers-reduced-motion: reduce` would have it. */
  forcedColors?: boolean;
  reducedMotion?: boolean;
  /** The reader's zone, such as `Europe/Berlin`; the machine's unless given. */
  timezone?: string;
}

/** A rule of axe-core that a page breaks, with the places. */
export interface AxeFinding {
  rule: string;
  impact: string;
  at: string[];
}

/** Time in which the page is to show what was done, on a machine with other work: for `expect.poll`. */
export const SOON = { timeout: 10_000 };

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** How many times slower the browser is made, `CONTEXTD_SLOW_PAGE=8`: what looks before the page has drawn shows itself. */
const SLOWDOWN = Number(process.env["CONTEXTD_SLOW_PAGE"] ?? 1);

/** Runs before the page's own scripts: what its policy forbids is kept, to be read at the end. */
const KEEP_POLICY_REPORTS = `
  window.policyReports = [];
  addEventListener("securitypolicyviolation", (report) => {
    window.policyReports.push(report.violatedDirective + " " + report.blockedURI + " " + report.sample);
  });
`;

/** A browser with the pages that one test opens; what their consoles and their policy complain of is collected. */
export class PageOpener {
  #browser: Browser | null = null;
  #pages: { page: Page; complaints: string[]; expected: RegExp | null }[] = [];

  async start(): Promise<void> {
    this.#browser = await launchChromium();
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
  }

  async open(url: string, options: OpenOptions = {}): Promise<Page> {
    if (this.#browser === null) throw new Error("The browser was not started.");
    const page = await this.#browser.newPage({
      viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
      colorScheme: options.scheme ?? "dark",
      forcedColors: options.forcedColors === true ? "active" : "none",
      ...(options.timezone === undefined ? {} : { timezoneId: options.timezone }),
      reducedMotion: options.reducedMotion === true ? "reduce" : "no-preference",
    });
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(`uncaught: ${error.stack}`));
    this.#pages.push({ page, complaints, expected: options.expected ?? null });
    await page.addInitScript(KEEP_POLICY_REPORTS);
    if (SLOWDOWN > 1) {
      const debuggingSession = await page.context().newCDPSession(page);
      await debuggingSession.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
    }
    await page.goto(`${url}/${options.at ?? ""}`);
    return page;
  }

  /** Closes what was opened since the last call; answers what was complained of and not expected. */
  async complaints(): Promise<string[]> {
    const found: string[] = [];
    for (const { page, complaints, expected } of this.#pages.splice(0)) {
      const reports = (await page.evaluate("window.policyReports")) as string[] | undefined;
      found.push(...(reports ?? []).map((report) => `policy: ${report}`));
      found.push(...complaints.filter((line) => !expected?.test(line)));
      await page.close();
    }
    return found;
  }
}

/** What axe-core finds of WCAG 2.1 A and AA that is serious or critical. */
export async function seriousFindings(page: Page): Promise<AxeFinding[]> {
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(axeSource);
  const run = `axe.run(document, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] } })`;
  const { violations } = (await page.evaluate(run)) as {
    violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, impact, nodes }) => ({
      rule: id,
      impact,
      at: nodes.map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`),
    }));
}

/** Pixels by which the page is wider than its window: more than 0 is a sideways scroll. */
export async function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

export async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().textContent()) ?? "";
}
