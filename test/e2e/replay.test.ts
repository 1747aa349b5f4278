import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cliWith } from "../cli/cli-with.ts";
import { hasChromium, launchChromium } from "../support/chromium.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const RUNS = fileURLToPath(new URL("../fixtures/replay/runs", import.meta.url));

test("contextd replay reports the same from threads as from one", async () => {
  const args = ["replay", RUNS, "--policy", "hybrid,plain_fifo", "--window", "25%", "--json"];
  const threads = execFileSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });
  const { stdout } = await cliWith(args);
  expect(JSON.parse(threads)).toEqual(JSON.parse(stdout));
  expect(JSON.parse(threads)).toMatchObject({ runs: 2, failures: [] });
});

const HOSTILE = `<img src="http://127.0.0.1:9/x" onerror="document.title='gone'"><script>document.title='gone'</script>`;

test.runIf(hasChromium)(
  "the page of a replay stands in a browser without script, network or sideways scrolling",
  async () => {
    using folder = temporaryFolder();
    const [meta, ...messages] = readFileSync(`${RUNS}/long-run.jsonl`, "utf8").split("\n");
    const told = { ...JSON.parse(meta as string), id: HOSTILE, family: HOSTILE };
    const run = folder.write("hostile.jsonl", [JSON.stringify(told), ...messages].join("\n"));
    const file = join(folder.path, "report.html");
    const { exitCode } = await cliWith([
      "replay",
      run,
      "-p",
      "plain_fifo,plain_sliding,oracle",
      "-w",
      "6k",
      "--html",
      file,
    ]);
    expect(exitCode).toBe(0);
    const browser = await launchChromium();
    try {
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme });
        const asked: string[] = [];
        const said: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        page.on("console", (message) => said.push(message.text()));
        await page.goto(`file://${file}`);
        expect(await page.title()).toBe("contextd replay: 1 runs");
        expect(await page.locator("figcaption", { hasText: HOSTILE }).count()).toBe(3);
        expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
        const ground = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
        expect(ground).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(20, 23, 27)");
        expect({ asked, said }).toEqual({ asked: [`file://${file}`], said: [] });
        await page.close();
      }
    } finally {
      await browser.close();
    }
  },
);
