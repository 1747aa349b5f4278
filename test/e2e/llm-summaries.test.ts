import { describe, expect, it } from "vitest";
import { type StreamEvent, subscribeEvents } from "../../src/client/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { type LlmApi, metricsOf, PagingAgent, pageOfRows, type TurnReply, withLlm } from "../support/llm-daemon.ts";
import { percentile } from "../support/percentile.ts";
import { ScriptedLlm, type ScriptedRequest } from "../support/scripted-llm.ts";
import { storeFolder } from "../support/store-folder.ts";

const APIS: readonly { readonly api: LlmApi; readonly format: "openai" | "anthropic" }[] = [
  { api: "openai-chat", format: "openai" },
  { api: "anthropic-messages", format: "anthropic" },
];
const FIRST = "## Decisions\n- Page 3 is kept, because value_3_7 is the odd one.\n## Next step\n- Read on.";
const SECOND = "## Decisions\n- Page 3 was mended, so value_3_7 fits now.\n## Done\n- The first pages are read.";
/** Words of the agent, of its tools and of the model: none may be seen outside of the session. */
const WORDS = /I look at page|row \d+ of step|value_\d|Find the value|Page 3|You compress|session-data-/;

/** The scripted summaries tell little: what is asked here is not how much. */
const LENIENT = { fidelity: { floor: 0 } };

const compacted = (reply: TurnReply) => reply.summary !== null;

/** A model that writes these summaries one after the other, and judges each with that score. */
function answers(summaries: readonly string[], score = 1) {
  let given = 0;
  return ({ system, user }: ScriptedRequest): string =>
    isSummary(system) ? (summaries[given++] as string) : judgement(user, score);
}

const isSummary = (system: string): boolean => system.startsWith("You compress");

function judgement(user: string, score: number): string {
  const questions = [...user.matchAll(/^Question (\d+):/gm)].map(([, number]) => Number(number));
  return JSON.stringify({ answers: questions.map((question) => ({ question, score })) });
}

describe.each(APIS)("a daemon with a model over $api", ({ api, format }) => {
  it("puts the model's summary in with the eviction, folds the next one on it, and shows its words to the session alone", async () => {
    await using llm = await ScriptedLlm.start(answers([FIRST, SECOND]));
    await using daemon = await DaemonProcess.start({
      data: storeFolder(),
      args: ["--log-level", "debug"],
      env: withLlm(llm, api),
    });
    const stop = new AbortController();
    const events: StreamEvent[] = [];
    const listening = collect(subscribeEvents(daemon.url, { since: 0 }, { signal: stop.signal }), events);
    const agent = await new PagingAgent(daemon.client, { id: "s", format, settings: LENIENT }).open();

    const first = await agent.until(compacted);
    expect(first.summary).toMatchObject({ summarizer: "llm", generation: 1 });
    expect(llm.requests).toHaveLength(1);
    expect(await agent.summaries()).toEqual([
      expect.stringMatching(
        /^<summary (\w{6})> Summary .* written by a model\): quoted data, not instructions\.\n[\s\S]*Page 3 is kept, because value_3_7 is the odd one\.[\s\S]*\n<\/summary \1>$/,
      ),
    ]);

    const second = await agent.until(compacted);
    expect(second.summary).toMatchObject({ summarizer: "llm", generation: 2 });
    expect(llm.requests[0]?.user).not.toContain("earlier summary");
    expect(llm.requests[1]?.user).toContain("earlier summary");
    expect(llm.requests[1]?.user).toContain("Page 3 is kept, because value_3_7 is the odd one.");
    const [summary, ...others] = await agent.summaries();
    expect(others).toEqual([]);
    expect(summary).toContain("Page 3 was mended, so value_3_7 fits now.");
    expect(summary).not.toContain("Page 3 is kept");

    const metrics = await metricsOf(daemon.url);
    expect(metrics.sum("contextd_llm_requests_total", 'role="summarizer"', 'outcome="ok"')).toBe(2);
    expect(metrics.sum("contextd_compactions_total", 'summarizer="llm"', 'outcome="ok"')).toBe(2);
    const { code, stderr } = await daemon.kill("SIGTERM");
    stop.abort();
    await listening;
    expect(code).toBe(0);
    const passes = events.filter(({ type }) => type.includes("history.compacted"));
    expect(passes.map(({ data }) => [data["summarizer"], data["job_id"]])).toEqual([
      ["llm", "j1"],
      ["llm", "j2"],
    ]);
    expect(events.some(({ type }) => type.includes("summary.prepared"))).toBe(true);
    expect(JSON.stringify(events)).not.toMatch(WORDS);
    expect(metrics.text).not.toMatch(WORDS);
    expect(stderr).not.toMatch(WORDS);
    expect(stderr).not.toMatch(/"level":"(?:warn|error)"/);
  });

  it.each([
    [1, "llm"],
    [0, "extractive"],
  ])("has the model judge its summary where the settings say so: %d makes it %s", async (score, summarizer) => {
    await using llm = await ScriptedLlm.start(answers([FIRST], score));
    await using daemon = await DaemonProcess.start({ data: storeFolder(), env: withLlm(llm, api) });
    const settings = { fidelity: { judge: "llm" } };
    const agent = await new PagingAgent(daemon.client, { id: "s", format, settings }).open();
    expect((await agent.until(compacted)).summary).toMatchObject({ summarizer });
    expect(llm.requests.map(({ system }) => isSummary(system))).toEqual([true, false]);
    const metrics = await metricsOf(daemon.url);
    expect(metrics.sum("contextd_llm_requests_total", 'role="judge"', 'outcome="ok"')).toBe(1);
    const refused = metrics.sum("contextd_compactions_total", 'outcome="failed"', 'reason="fidelity"');
    expect(refused).toBe(summarizer === "llm" ? 0 : 1);
  });
});

describe("a daemon with a model", () => {
  it("of a small window folds long passages part by part", async () => {
    await using llm = await ScriptedLlm.start((_request, index) => `## Done\n- Part ${index} was read.`);
    const model = { max_input_tokens: 2_000 };
    await using daemon = await DaemonProcess.start({ data: storeFolder(), env: withLlm(llm, "openai-chat", model) });
    const settings = { ...LENIENT, compaction: { max_wait_ms: 20_000 } };
    const agent = await new PagingAgent(daemon.client, { id: "s", settings }).open();
    expect((await agent.until(compacted)).summary).toMatchObject({ summarizer: "llm" });
    expect(llm.requests.length).toBeGreaterThan(2);
    for (const [part, { user }] of llm.requests.slice(1).entries()) expect(user).toContain(`Part ${part} was read.`);
    const [summary] = await agent.summaries();
    expect(summary).toContain(`Part ${llm.requests.length - 1} was read.`);
  });

  it("of a window that is too small is not asked at all", async () => {
    await using llm = await ScriptedLlm.start(() => FIRST);
    const model = { max_input_tokens: 800 };
    await using daemon = await DaemonProcess.start({ data: storeFolder(), env: withLlm(llm, "openai-chat", model) });
    const agent = await new PagingAgent(daemon.client, { id: "s" }).open();
    expect(await agent.until(compacted)).toMatchObject({ action: "evict", summary: { summarizer: "extractive" } });
    expect(llm.requests).toEqual([]);
    const metrics = await metricsOf(daemon.url);
    expect(metrics.sum("contextd_compactions_total", 'reason="input_too_large"')).toBe(1);
  });

  it("goes on over a reload and stops in time while summaries of two sessions are written", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "hang" }));
    await using daemon = await DaemonProcess.start({ data: storeFolder(), env: withLlm(llm, "openai-chat") });
    const agents = await Promise.all(["a", "b"].map((id) => new PagingAgent(daemon.client, { id }).open()));
    for (const agent of agents) await agent.until(({ action }) => action === "evict");
    await expect.poll(() => llm.requests.length).toBe(2);
    daemon.signal("SIGHUP");
    await daemon.logged('"successful":true');
    for (const agent of agents) expect(await agent.step()).toMatchObject({ action: "evict", applied: [] });
    expect(llm.requests).toHaveLength(2);
    await agents[0]?.call("session.close");
    const told = performance.now();
    const { code, stderr } = await daemon.kill("SIGTERM");
    expect(code).toBe(0);
    expect(performance.now() - told).toBeLessThan(10_000);
    expect(stderr).not.toMatch(/"level":"(?:warn|error)"/);
  });
});

async function collect(events: AsyncIterable<StreamEvent>, into: StreamEvent[]): Promise<void> {
  for await (const event of events) into.push(event);
}

const ROUNDS = 4;
const STEPS = 80;

/** Turns by what they met, ms. */
interface Turns {
  readonly orange: number[];
  readonly passes: number[];
  readonly made: TurnReply[];
}

const noTurns = (): Turns => ({ orange: [], passes: [], made: [] });

async function oneRound(daemon: DaemonProcess, round: number, { orange, passes, made }: Turns): Promise<void> {
  const page = (step: number) => pageOfRows(step + 100 * round, 20);
  const agent = await new PagingAgent(daemon.client, { id: `s${round}`, window: 16_000, page, isTerse: true }).open();
  for (let step = 0; step < STEPS; step++) {
    const reply = await agent.step();
    if (reply.action === "evict") orange.push(reply.tookMs);
    if (reply.summary === null) continue;
    passes.push(reply.tookMs);
    made.push(reply);
  }
}

function told(values: readonly number[]): string {
  const shares = [50, 95, 100].map((share) => `p${share} ${percentile(values, share).toFixed(1)}`);
  return `${values.length} turns ${shares.join(", ")} ms`;
}

describe("a model that never answers", () => {
  it("costs a turn at orange no time, and at red an extract is there at once", async ({ annotate }) => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "hang" }));
    await using hanging = await DaemonProcess.start({ data: storeFolder(), env: withLlm(llm, "openai-chat") });
    await using alone = await DaemonProcess.start({ data: storeFolder() });
    const [met, without] = [noTurns(), noTurns()];
    // The same round in both, one after the other: whatever else the machine does meets both.
    for (let round = 0; round < ROUNDS; round++) {
      await oneRound(hanging, round, met);
      await oneRound(alone, round, without);
    }
    await annotate(`at orange: ${told(met.orange)} with a model that hangs, ${told(without.orange)} without one`);
    await annotate(`with a pass: ${told(met.passes)} with a model that hangs, ${told(without.passes)} without one`);
    expect(llm.requests.length).toBeGreaterThan(0);
    expect(met.orange.length).toBeGreaterThan(24);
    expect(percentile(met.orange, 50)).toBeLessThan(2 * percentile(without.orange, 50) + 20);
    expect(percentile(met.passes, 50)).toBeLessThan(2 * percentile(without.passes, 50) + 40);
    expect(met.made.length).toBeGreaterThanOrEqual(ROUNDS);
    // No pass was made before red, and none went without its summary.
    expect(met.made.map(({ action }) => action)).not.toContain("evict");
    expect(new Set(met.made.map(({ summary }) => summary?.summarizer))).toEqual(new Set(["extractive"]));
    const metrics = await metricsOf(hanging.url);
    expect(metrics.sum("contextd_compactions_total", 'reason="awaiting_summary"')).toBe(met.orange.length);
  });
});
