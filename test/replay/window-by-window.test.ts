import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { messageTokens, REPLAY_MODEL, replayModel } from "../../src/replay/counting.ts";
import { prepareRun } from "../../src/replay/prepared-run.ts";
import { parseRun, type RecordedRun } from "../../src/replay/recorded-run.ts";
import { ModelCatalogue, TokenCounter } from "../../src/tokens/index.ts";
import { TestManager } from "../support/manager.ts";
import { WINDOW_BY_WINDOW, WindowedAgent } from "../support/windowed-agent.ts";

const OWN = ["../fixtures/fidelity", "../fixtures/runs", "../fixtures/replay/runs"].map((folder) =>
  resolve(import.meta.dirname, folder),
);
const BESIDE = resolve(import.meta.dirname, "../../../shared/transcripts");
const LONG = process.env["CONTEXTD_LONG"] === "1";
/** One of so many runs beside the checkout is played. */
const SAMPLE = LONG ? 1 : 12;

/** The window's share of the run. */
const SHARE = 0.1;
/** Smaller windows do not hold what the agent's plan and the frame of a new window's first message take. */
const LEAST_WINDOW = 2_048;
/** System prompt and task stay in every window: so many times their tokens are needed to do anything beside. */
const PINNED_ROOM = 2.5;
/** A run that is so many times its window is long enough to cross three. */
const CROSSES = 5;
const LEAST_CROSSINGS = 3;
/** Places, as shares of the run, at which a window is closed by force. */
const CUTS = [0.15, 0.35, 0.55, 0.8];

const catalogue = new ModelCatalogue({ [REPLAY_MODEL]: replayModel("o200k_base", null) });
const services = { counter: new TokenCounter({ workerUrl: null }), catalogue };

interface Sized {
  readonly run: RecordedRun;
  readonly window: number;
  /** Whether a tenth of the run holds what its system prompt and task need. */
  readonly isTenth: boolean;
  /** How many times the run is as long as its window. */
  readonly times: number;
}

function runsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  return files.sort().map((file) => join(folder, file));
}

function sized(file: string): Sized {
  const run = parseRun(readFileSync(file, "utf8"), basename(file));
  const { tokens, pinnedTokens } = prepareRun(run, {
    format: "openai",
    background: new Set(),
    tokensOf: (format) => messageTokens("o200k_base", format, services),
  });
  const tenth = Math.ceil(SHARE * tokens);
  const window = Math.max(tenth, LEAST_WINDOW, Math.ceil(PINNED_ROOM * pinnedTokens));
  return { run, window, isTenth: window === tenth, times: tokens / window };
}

async function played(
  { run, window }: Sized,
  format: MessageFormatName,
  settings: WindowedAgent["options"]["settings"] = {},
  cuts: readonly number[] = [],
): Promise<WindowedAgent> {
  const host = new TestManager({ checkReplies: false });
  const agent = new WindowedAgent(host, run, { session: "windows", format, window, settings });
  const places = new Set(cuts.map((share) => Math.ceil(share * agent.length)));
  await agent.open();
  while (await agent.turn()) if (places.has(agent.turns)) await agent.openWindow();
  const events = host.published("window.closed").map(({ number }) => number);
  if (events.join() !== events.map((_, at) => at + 1).join()) agent.fault(`closed the windows ${events.join()}`);
  const saved = new Set(host.published("checkpoint.saved").map(({ checkpoint_id }) => checkpoint_id));
  for (const { checkpoint_id, number } of host.published("window.opened")) {
    if (number > 1 && !saved.has(checkpoint_id as string)) agent.fault(`window ${number} has no checkpoint`);
  }
  await host.manager.stop();
  return agent;
}

const files = [...OWN.flatMap(runsIn), ...runsIn(BESIDE).filter((_, index) => index % SAMPLE === 0)];
const timeout = (LONG ? 30 : 4) * 60_000;

describe.each(MESSAGE_FORMATS)(
  "a run in the format %s, in a window a tenth of its length or what it needs",
  (format) => {
    it("is valid and whole in every window, window by window", { timeout }, async () => {
      let tenths = 0;
      for (const own of files.map(sized)) {
        const { faults, crossings } = await played(own, format, WINDOW_BY_WINDOW);
        expect(faults, own.run.id).toEqual([]);
        if (own.times < CROSSES) continue;
        expect(crossings, own.run.id).toBeGreaterThanOrEqual(LEAST_CROSSINGS);
        if (own.isTenth) tenths++;
      }
      expect(tenths, "some runs have a window of a tenth").toBeGreaterThan(0);
    });

    it("is valid and whole in every window, where windows are closed by force", { timeout }, async () => {
      for (const own of files.map(sized)) {
        const { faults, crossings, length } = await played(own, format, {}, CUTS);
        expect(faults, own.run.id).toEqual([]);
        if (length > CUTS.length * 2) expect(crossings, own.run.id).toBeGreaterThanOrEqual(CUTS.length);
      }
    });
  },
);
