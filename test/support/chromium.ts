import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

/** Whether there is a browser. With CI set, a missing one is a failure. */
export const hasChromium: boolean = CHROMIUM !== undefined;
if (!hasChromium && process.env["CI"]) throw new Error("chromium is missing: apt-get install chromium");

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  });
}
