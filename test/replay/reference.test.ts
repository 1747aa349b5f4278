import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { NO_PLUGINS } from "../../src/config/index.ts";
import { messageFormats } from "../../src/messages/index.ts";
import { charactersOfMessage } from "../../src/replay/message-text.ts";
import { findNeeds } from "../../src/replay/needs.ts";
import { conversationIn, parseRun } from "../../src/replay/recorded-run.ts";
import { Replayer } from "../../src/replay/replay.ts";
import { configWith } from "../config/config-with.ts";

/**
 * What the reference implementation of the measure (in Python, not part of this repository) says of a run: a need is
 * [turn, value, holders, kind, role of the first holder, tokens since the last, place of the last]; a line is its text
 * and the needed values on it; figures are [window, line, far, grounded, cost, tokens sent, prefix hits, edited].
 */
interface Reference {
  readonly messages: number;
  readonly turns: number;
  readonly tokens: number;
  readonly pinned_tokens: number;
  readonly needs: number;
  readonly weight: number;
  readonly needs_sha256: string;
  readonly lines: number;
  readonly lines_sha256: string;
  readonly figures?: Readonly<Record<string, readonly [number, ...(number | null)[]]>>;
  readonly need_rows?: readonly NeedRow[];
  readonly line_rows?: readonly LineRow[];
}

type NeedRow = readonly [number, string, number, string, string, number, number];
type LineRow = readonly [string, readonly string[]];

const FIXTURES = fileURLToPath(new URL("../fixtures/replay/", import.meta.url));
const TRANSCRIPTS = fileURLToPath(new URL("../../../shared/transcripts/", import.meta.url));

const background = new Set(
  JSON.parse(readFileSync(new URL("../../src/replay/background-vocabulary.json", import.meta.url), "utf8")) as string[],
);

function references(file: string): [string, Reference][] {
  return Object.entries(JSON.parse(readFileSync(`${FIXTURES}${file}`, "utf8")) as Record<string, Reference>);
}

const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const sha256 = (rows: readonly (NeedRow | LineRow)[]) =>
  createHash("sha256")
    .update(
      rows.map((row) => row.map((cell) => (Array.isArray(cell) ? cell.join("\x1f") : cell)).join("\t")).join("\n"),
    )
    .digest("hex");

/** The same of our own measure. */
function measured(path: string): Omit<Reference, "figures"> {
  const run = parseRun(readFileSync(path, "utf8"), path);
  const split = conversationIn(run, "openai").messages.map((message) =>
    messageFormats.openai.split(message, "message"),
  );
  const tokens = split.map(({ parts }) => Math.ceil(charactersOfMessage(parts) / 4) + 4);
  const found = findNeeds(split, background);
  const needs: NeedRow[] = found.turns.flatMap((turn) =>
    [...(found.byTurn.get(turn) ?? [])]
      .sort((a, b) => byCodePoint(a.value, b.value))
      .map(({ value, holders, kind, origin, lastHeldBy }): NeedRow => {
        const since = tokens.slice(lastHeldBy + 1, turn).reduce((sum, own) => sum + own, 0);
        return [turn, value, holders, kind, origin, since, lastHeldBy];
      }),
  );
  const lines = [...found.onLine]
    .map(([line, values]): LineRow => [line, values.map((index) => found.values[index] as string).sort(byCodePoint)])
    .sort(([a], [b]) => byCodePoint(a, b));
  const weight = found.turns
    .flatMap((turn) => found.byTurn.get(turn) ?? [])
    .reduce((sum, need) => sum + need.weight, 0);
  return {
    messages: split.length,
    turns: found.turns.length,
    tokens: tokens.reduce((sum, own) => sum + own, 0),
    pinned_tokens: tokens.reduce((sum, own, place) => sum + (found.pinned[place] ? own : 0), 0),
    needs: needs.length,
    weight: Number(weight.toFixed(9)),
    needs_sha256: sha256(needs),
    lines: lines.length,
    lines_sha256: sha256(lines),
    need_rows: needs,
    line_rows: lines,
  };
}

const options = {
  policies: ["plain_sliding", "plain_fifo"],
  windows: ["25%", "16k"],
  model: null,
  format: null,
} as const;
const replayer = new Replayer({ ...options, count: "chars" }, { config: configWith(), plugins: NO_PLUGINS });

/** Figures of the plain policies, by counts of characters, as the reference has them. */
async function plainFigures(path: string): Promise<Reference["figures"]> {
  const { replayed } = await replayer.replay(readFileSync(path, "utf8"), path);
  if (replayed.length === 0) return undefined;
  const rounded = (value: number | null) => (value === null ? null : Number(value.toFixed(9)));
  return Object.fromEntries(
    replayed.map(({ policy, window, windowTokens, figures }) => [
      `${policy.replace("plain_", "")} ${window}`,
      [
        windowTokens,
        ...[figures.line, figures.far, figures.grounded, figures.cost].map(rounded),
        figures.tokensSent,
        figures.prefixHits,
        figures.editedRequests,
      ] as const,
    ]),
  );
}

describe("the measure agrees with its reference implementation", () => {
  test.each(references("reference.json"))("on %s, need by need and line by line", async (name, reference) => {
    const { figures, ...expected } = reference;
    expect(measured(`${FIXTURES}runs/${name}`)).toEqual(expected);
    expect(await plainFigures(`${FIXTURES}runs/${name}`)).toEqual(figures);
  });

  // The recorded runs are no part of the repository: where they lie beside it, all of them are held against it.
  if (existsSync(TRANSCRIPTS)) {
    test("on every recorded run beside the repository", agreesOnTranscripts, 300_000);
  }
});

async function agreesOnTranscripts(): Promise<void> {
  const expected = references("reference-transcripts.json");
  for (const [name, { figures, ...reference }] of expected) {
    const { need_rows: _needs, line_rows: _lines, ...own } = measured(`${TRANSCRIPTS}${name}`);
    expect(own, name).toEqual(reference);
    expect(await plainFigures(`${TRANSCRIPTS}${name}`), name).toEqual(figures);
  }
}
