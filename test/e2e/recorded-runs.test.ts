import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import { DaemonProcess, runScript } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Runs of this project's own, recorded by `contextd demo`. */
const OWN = resolve(import.meta.dirname, "../fixtures/runs");
/** Recorded runs beside the checkout, where there are some. */
const BESIDE = resolve(import.meta.dirname, "../../../shared/transcripts");
const LONG = process.env["CONTEXTD_LONG"] === "1";
/** Runs beside the checkout that a usual test takes. */
const SAMPLE = 6;

function runsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  return files.sort().map((file) => join(folder, file));
}

/** Every nth run, so that each family has one. */
function sampleOf(files: readonly string[]): string[] {
  const step = LONG ? 1 : Math.max(1, files.length / SAMPLE);
  const count = Math.ceil(files.length / step);
  return Array.from({ length: count }, (_, index) => files[Math.floor(index * step)] as string);
}

describe("recorded runs", () => {
  const own = runsIn(OWN);

  it("of the project's own are small, valid, and tell nothing of the machine they come from", () => {
    expect(own.length).toBeGreaterThanOrEqual(3);
    expect(own.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThanOrEqual(150 * 1024);
    for (const file of own) {
      const text = readFileSync(file, "utf8");
      const [metadata, ...messages] = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(metadata).toMatchObject({ family: "demo", source: "contextd demo", n_messages: messages.length });
      expect(messageFormats.openai.check({ messages })).toEqual([]);
      expect(text.match(/(?<![\w.*/-])\/(work|root|tmp|home|Users)\b[^ "]*/g) ?? [], file).toEqual([]);
    }
  });

  const timeout = (LONG ? 60 : 5) * 60_000;
  it("come through the hooks of a daemon valid, within the window, counted as tiktoken counts", {
    timeout,
  }, async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const runs = [...own, ...sampleOf(runsIn(BESIDE))];
    const args = ["--url", daemon.url, "--window", "8k,16k,25%", "--format", "openai,anthropic"];
    const { code, stdout, stderr } = await runScript("drive-runs.mjs", [...args, ...runs]);
    expect(code, `${stdout}${stderr}`).toBe(0);
    // Each run at each window in both formats.
    expect(stderr).toContain(`${runs.length * 6} runs driven, 0 bad`);
  });
});
