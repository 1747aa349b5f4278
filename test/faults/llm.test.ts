import { describe, it } from "vitest";
import { ContextdClient, NoAnswerError } from "../../src/client/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { metricsOf, PagingAgent, pageOfRows, type TurnReply, withLlm } from "../support/llm-daemon.ts";
import { percentile } from "../support/percentile.ts";
import { type LlmFault, ScriptedLlm, type ScriptedRequest } from "../support/scripted-llm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const CALLS = LONG ? 10_000 : 500;
/** Sessions at work at once; each gives way to another one after so many steps. */
const AGENTS = 4;
const STEPS = 40;
/** Of a call to the model, and of a turn's start that waits for one, ms. */
const DEADLINE_MS = 250;
/** Three times the target, which is 250 ms beyond the deadline: machines that run tests are noisy. */
const LATEST_MS = 3 * (DEADLINE_MS + 250);
/** Bytes by which the daemon may grow, sessions and garbage included: less than what one gzip bomb unpacks to. */
const MOST_GROWTH = 450_000_000;

const FAULTS: readonly LlmFault[] = [
  { fault: "hang" },
  { fault: "drip", everyMs: 20 },
  { fault: "reset" },
  { fault: "reset", when: "body" },
  { fault: "status", status: 429, retryAfter: "0" },
  { fault: "status", status: 429, retryAfter: "3600" },
  { fault: "status", status: 408 },
  { fault: "status", status: 500 },
  { fault: "status", status: 529 },
  { fault: "status", status: 401 },
  { fault: "status", status: 404 },
  { fault: "status", status: 413 },
  { fault: "context_too_long" },
  { fault: "html" },
  { fault: "invalid_json" },
  { fault: "truncated_json" },
  { fault: "invalid_utf8" },
  { fault: "other_shape" },
  { fault: "empty_body" },
  { fault: "huge" },
  { fault: "huge", declared: true },
  { fault: "gzip_bomb" },
  { fault: "redirect" },
];

const GOOD = "## Decisions\n- The pages are read one after the other, since the value may be on any.";

/** Replies that arrive and are no summary, or no judgement. */
const BAD_REPLIES: readonly ((request: ScriptedRequest) => string)[] = [
  () => " ",
  () => "I'm sorry, but I can't help with that.",
  () => "No heading, no item.",
  ({ user }) => `## Done\n- ${user}`,
  ({ user }) => `## Done\n- ${user.split("\n")[1]}`,
  () => `## Done\n- ${"word ".repeat(50_000)}`,
];
const BAD_JUDGEMENTS = [
  "NaN",
  '{"answers":[{"question":1,"score":NaN}]}',
  '{"answers":[{"question":1,"score":1e999}]}',
  "[]",
];

/** Fault, good, bad reply, good and so on: the breaker, which five faults in a row open, stays closed for most calls. */
function faulty(): (request: ScriptedRequest, index: number) => string | LlmFault {
  return (request, index) => {
    const nth = Math.floor(index / 4);
    const isJudge = request.system.startsWith("You check");
    if (index % 4 === 0) return FAULTS[nth % FAULTS.length] as LlmFault;
    if (isJudge) return BAD_JUDGEMENTS[index % BAD_JUDGEMENTS.length] as string;
    return index % 4 === 2 ? (BAD_REPLIES[nth % BAD_REPLIES.length] as (typeof BAD_REPLIES)[number])(request) : GOOD;
  };
}

const settingsOf = (agent: number) => ({
  // Two agents of four wait for the model as long as its deadline, and three have it judge.
  compaction: { least_units: 1, max_wait_ms: agent % 2 === 0 ? DEADLINE_MS : 0 },
  fidelity: { floor: 0, judge: agent % 4 === 1 ? "lexical" : "llm" },
});

function agentOf(daemon: DaemonProcess, agent: number): Promise<PagingAgent> {
  const page = (step: number) => pageOfRows(step + 10_000 * agent, 35);
  return new PagingAgent(daemon.client, {
    id: `agent-${agent}`,
    page,
    settings: settingsOf(agent),
    isTerse: true,
  }).open();
}

const drops = ({ applied }: TurnReply): boolean => applied.some(({ method }) => method === "drop");

// Side by side, since the breaker takes its time: each has its folder in its own scope.
describe.concurrent("a model with every fault", () => {
  it(`leaves no pass of ${CALLS} calls without a summary and no hook late`, async ({ expect, annotate }) => {
    using folder = temporaryFolder();
    await using llm = await ScriptedLlm.start(faulty());
    const model = { deadline_ms: DEADLINE_MS, attempts: 2, concurrency: AGENTS };
    await using daemon = await DaemonProcess.start({ data: folder.path, env: withLlm(llm, "openai-chat", model) });
    const calls = async () => (await metricsOf(daemon.url)).sum("contextd_llm_requests_total");
    const rss = async () => (await metricsOf(daemon.url)).sum("process_resident_memory_bytes");
    const before = await rss();
    const replies: TurnReply[] = [];
    const summaries: number[] = [];
    let sessions = 0;
    const oneSession = async (): Promise<void> => {
      const agent = await agentOf(daemon, sessions++);
      for (let step = 0; step < STEPS; step++) replies.push(await agent.step());
      summaries.push((await agent.summaries()).length);
      await agent.call("session.close");
    };
    while ((await calls()) < CALLS) await Promise.all(Array.from({ length: AGENTS }, oneSession));
    const growth = (await rss()) - before;
    const passes = replies.filter(drops);
    const by = (summarizer: string) => passes.filter(({ summary }) => summary?.summarizer === summarizer).length;
    const took = replies.map(({ tookMs }) => tookMs);
    const metrics = await metricsOf(daemon.url);
    const outcomes = [...new Set([...metrics.text.matchAll(/outcome="(\w+)"/g)].map(([, name]) => String(name)))]
      .map((name) => [name, metrics.sum("contextd_llm_requests_total", `outcome="${name}"`)] as const)
      .filter(([, many]) => many > 0);
    await annotate(
      `${await calls()} calls (${outcomes.map((each) => each.join(" ")).join(", ")}) of ${sessions} sessions, ` +
        `${passes.length} passes, ${by("llm")} with a model's summary; ` +
        `hooks p50 ${percentile(took, 50).toFixed(0)}, p99 ${percentile(took, 99).toFixed(0)}, at most ${Math.max(...took).toFixed(0)} ms; ` +
        `grown by ${(growth / 1e6).toFixed(0)} MB`,
    );
    expect(by("llm") + by("extractive")).toBe(passes.length);
    expect(by("llm")).toBeGreaterThan(CALLS / 20);
    expect(by("extractive")).toBeGreaterThan(CALLS / 20);
    expect(percentile(took, 99)).toBeLessThan(LATEST_MS);
    // One hook may meet a pause of the machine; none hangs.
    expect(Math.max(...took)).toBeLessThan(4 * LATEST_MS);
    expect(growth).toBeLessThan(MOST_GROWTH);
    expect(Math.max(...summaries)).toBe(1);
    const { code, stderr } = await daemon.kill("SIGTERM");
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('"level":"error"');
  });

  it("is left alone after five faults, costs passes nothing meanwhile, and is asked again when it is well", async ({
    expect,
  }) => {
    using folder = temporaryFolder();
    await using llm = await ScriptedLlm.start(() => ({ fault: "status", status: 500 }));
    const model = { deadline_ms: DEADLINE_MS, attempts: 1 };
    await using daemon = await DaemonProcess.start({
      data: folder.path,
      env: withLlm(llm, "anthropic-messages", model),
    });
    const breaker = async () => (await metricsOf(daemon.url)).sum("contextd_llm_breaker_state");
    const waited = async () =>
      (await metricsOf(daemon.url)).sum("contextd_compactions_total", 'reason="awaiting_summary"');
    const agent = await agentOf(daemon, 1);
    while ((await breaker()) === 0) await agent.step();
    expect(llm.requests).toHaveLength(5);
    expect(await breaker()).toBe(2);
    const waitedBefore = await waited();
    for (let pass = 0; pass < 3; pass++) {
      const reply = await agent.until(drops);
      expect(reply).toMatchObject({ action: "evict", summary: { summarizer: "extractive" } });
    }
    expect(await waited()).toBe(waitedBefore);
    expect(llm.requests).toHaveLength(5);
    llm.script = () => GOOD;
    await expect.poll(breaker, { timeout: 15_000, interval: 250 }).toBe(1);
    expect((await agent.until((reply) => reply.summary?.summarizer === "llm")).summary).not.toBeNull();
    expect(await breaker()).toBe(0);
  });

  it("is the control: without deadlines a hook that may wait is late", async ({ expect }) => {
    using folder = temporaryFolder();
    await using llm = await ScriptedLlm.start(() => ({ fault: "hang" }));
    const model = { deadline_ms: 600_000 };
    await using daemon = await DaemonProcess.start({ data: folder.path, env: withLlm(llm, "openai-chat", model) });
    const settings = { compaction: { least_units: 1, max_wait_ms: 600_000 } };
    const page = (step: number) => pageOfRows(step, 35);
    const impatient = new ContextdClient({ url: daemon.url, deadlineMs: LATEST_MS, attempts: 1 });
    const agent = await new PagingAgent(impatient, { id: "late", page, settings, isTerse: true }).open();
    await expect(agent.until(drops)).rejects.toBeInstanceOf(NoAnswerError);
    expect(llm.requests).toHaveLength(1);
  });
});
