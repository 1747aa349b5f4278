import { describe, expect, it } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";
import { PagingAgent, pageOfRows, type TurnReply, textOf, withLlm } from "../support/llm-daemon.ts";
import { type LlmFault, ScriptedLlm, type ScriptedRequest } from "../support/scripted-llm.ts";
import { storeFolder } from "../support/store-folder.ts";

const CYCLES = 20;
/** Longest time from the model's request to the kill, ms: some replies have been delivered by then. */
const LONGEST_MS = 40;

const page = (step: number) => pageOfRows(step, 16);

/** The prompt, whatever its marks are. */
function words({ user }: ScriptedRequest): string {
  const nonce = /\[session-data-(\w+) begin\]/.exec(user)?.[1] ?? "";
  return user.replaceAll(nonce, "");
}

/** Steps whose page the daemon does not have any more, word for word: in the context, or to be recalled. */
async function lostSteps(agent: PagingAgent): Promise<number[]> {
  const { messages } = await agent.context();
  const live = new Set(messages.map(textOf));
  const lost: number[] = [];
  for (let step = 0; step < agent.steps; step++) {
    if (live.has(page(step))) continue;
    const query = `row 0 of step ${step}:`;
    const { matches } = await agent.read<{ matches: { block_id: string; type: string }[] }>("content.search", {
      query,
      limit: 50,
    });
    const block_id = matches.find(({ type }) => type === "tool_result")?.block_id;
    const content = block_id && (await agent.call<{ content: string }>("content.recall", { block_id })).content;
    if (content !== page(step)) lost.push(step);
  }
  return lost;
}

describe(`${CYCLES} times killed while a model writes a summary`, () => {
  it("the daemon has all originals, asks again, and puts a summary in once", async ({ annotate }) => {
    let asked: () => void = () => undefined;
    // Every other summary comes at once, so that the kill may meet its delivery; the others never come.
    const script = (_request: ScriptedRequest, index: number): string | LlmFault => {
      asked();
      return index % 2 === 0 ? { fault: "hang" } : `## Decisions\n- Summary ${index} is this.`;
    };
    await using llm = await ScriptedLlm.start(script);
    const data = storeFolder();
    const env = withLlm(llm, "openai-chat", { max_input_tokens: 30_000 });
    const passes: NonNullable<TurnReply["summary"]>[] = [];
    let agent: PagingAgent | null = null;
    let askedAgain = 0;
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      await using daemon: DaemonProcess = await DaemonProcess.start({ data, env });
      const settings = { compaction: { least_units: 1 }, fidelity: { floor: 0 } };
      if (agent) {
        agent = agent.at(daemon.client);
        expect((await agent.summaries()).length).toBe(Math.min(1, passes.length));
        if (cycle % 4 === 0) expect(await lostSteps(agent)).toEqual([]);
      } else agent = await new PagingAgent(daemon.client, { id: "s", page, settings, isTerse: true }).open();
      const before = llm.requests.length;
      const passesBefore = passes.length;
      const request = new Promise<void>((resolve) => {
        asked = resolve;
      });
      while (llm.requests.length === before) {
        const { action, applied, summary } = await agent.step();
        if (summary) passes.push(summary);
        // No pass at orange: a summary is waited for, so that this daemon has asked for it, or is about to.
        if (action === "evict" && applied.length === 0) await request;
      }
      const [last, next] = llm.requests.slice(before - 1).map(words);
      // The one that hung is asked for again, unless red came first.
      if (before % 2 === 1 && passes.length === passesBefore) {
        expect(next).toBe(last);
        askedAgain++;
      }
      setTimeout(() => daemon.signal("SIGKILL"), Math.random() * LONGEST_MS);
      expect((await daemon.ended).signal).toBe("SIGKILL");
    }
    await using daemon = await DaemonProcess.start({ data, env });
    if (agent) expect(await lostSteps(agent.at(daemon.client))).toEqual([]);
    const byModel = passes.filter(({ summarizer }) => summarizer === "llm").length;
    await annotate(
      `${agent?.steps} steps, ${passes.length} passes, ${byModel} by the model; asked again ${askedAgain} times`,
    );
    expect(passes.map(({ generation }) => generation)).toEqual(passes.map((_, at) => at + 1));
    expect(byModel).toBeGreaterThan(0);
    expect(askedAgain).toBeGreaterThan(CYCLES / 4);
  });
});
