import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { CAST, castOf } from "../../src/demo/cast.ts";
import { Explorer } from "../../src/demo/explorer.ts";
import { seededRandom } from "../../src/demo/random.ts";
import { Recorder } from "../../src/demo/recorder.ts";
import { Repository } from "../../src/demo/repository.ts";
import { isOwnTool, ownToolsOf, runStep, type Step, toolDefinitions } from "../../src/demo/tools.ts";
import { messageFormats } from "../../src/messages/index.ts";

const repository = new Repository(resolve(import.meta.dirname, "../.."));

/** Steps of an agent over so many turns, without a daemon. */
async function explore(agent: number, seed: number, turns: number): Promise<Step[][]> {
  const explorer = new Explorer(castOf(agent + 1)[agent] as (typeof CAST)[number], {
    repository,
    random: seededRandom(seed),
  });
  const taken: Step[][] = [];
  for (let turn = 1; turn <= turns; turn++) {
    const { steps } = explorer.answer(turn, turn === turns, []);
    taken.push([...steps]);
    for (const step of steps) {
      if (!isOwnTool(step.tool)) explorer.observe(step, await runStep(repository, step.tool, step.args));
    }
  }
  return taken;
}

describe("an agent of the demo", () => {
  it("takes the same steps for the same seed, and others for another", async () => {
    expect(await explore(1, 7, 9)).toEqual(await explore(1, 7, 9));
    expect(await explore(1, 8, 9)).not.toEqual(await explore(1, 7, 9));
  });

  it.each(CAST.map((member, index) => [member.agent, index] as const))(
    "%s makes only calls that its tools define, and none fails but a guess at a file that is not there",
    async (_agent, index) => {
      const definitions = new Map(
        toolDefinitions(ownToolsOf(CAST[index] as (typeof CAST)[number])).map((tool) => [tool.name, tool]),
      );
      const turns = await explore(index, 1, 15);
      expect(turns.at(-1)).toEqual([]);
      for (const { tool, args } of turns.flat()) {
        expect(Object.keys(args)).toEqual(definitions.get(tool)?.schema["required"]);
        // Outside a checkout git has nothing to tell.
        if (isOwnTool(tool) || String(args["command"]).startsWith("git")) continue;
        const isThere = tool !== "read_file" || repository.files.some(({ path }) => path === args["path"]);
        expect(await runStep(repository, tool, args)).toMatchObject({ isError: !isThere });
      }
    },
  );

  it("reads again what it read long ago, guesses at files that are not there, and looks for names of long ago", async () => {
    const turns = await explore(4, 1, 45);
    const reads = turns.flatMap((steps, turn) =>
      steps.filter(({ tool }) => tool === "read_file").map(({ args }) => ({ key: JSON.stringify(args), args, turn })),
    );
    const first = new Map([...reads].reverse().map(({ key, turn }) => [key, turn]));
    const again = reads.filter(({ key, turn }) => turn - (first.get(key) ?? turn) >= 5);
    expect(again.length).toBeGreaterThanOrEqual(2);
    const missed = reads.filter(({ args }) => repository.textOf(String(args["path"])) === undefined);
    expect(missed.length).toBeGreaterThanOrEqual(1);
    expect(missed.length).toBeLessThan(reads.length / 2);
  });

  it("reads more in its surveys than red leaves, and more than its whole window in a spike", async () => {
    const surveyor = CAST[2] as (typeof CAST)[number];
    const turns = await explore(2, 1, 8);
    const characters = async (steps: readonly Step[] = []) => {
      const outcomes = await Promise.all(steps.map(({ tool, args }) => runStep(repository, tool as "grep", args)));
      return outcomes.reduce((sum, { text }) => sum + text.length, 0);
    };
    expect(turns[(surveyor.spikeAt ?? 0) - 1]).toHaveLength(1);
    expect(await characters(turns[(surveyor.spikeAt ?? 0) - 1])).toBeGreaterThan(surveyor.window * 3.6);
    expect(await characters(turns[6])).toBeGreaterThan(surveyor.window * 0.45 * 3.6);
  });

  it("gives the cast numbers from the second round on, so that each agent has a name of its own", () => {
    const names = castOf(CAST.length + 2).map((member) => member.agent);
    expect(new Set(names).size).toBe(names.length);
    expect(names.at(-1)).toBe(`${CAST[1]?.agent}-2`);
  });
});

describe("a recorder", () => {
  const call = { id: "c1", name: "grep", args: { pattern: "x" } };

  it("writes metadata and the messages, one a line", () => {
    const recorder = new Recorder({ id: "demo-x-1", model: "gpt-4o", task: "Find x." });
    recorder.say("user", "Find x.");
    recorder.answer("Where is it?", [call]);
    recorder.result("c1", "grep", "src/x.ts:1: x");
    recorder.answer("There.", []);
    const [metadata, ...messages] = recorder
      .text()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(metadata).toEqual({
      id: "demo-x-1",
      family: "demo",
      source: "contextd demo",
      model: "gpt-4o",
      task: "Find x.",
      n_messages: 4,
      n_assistant: 2,
      n_tool_calls: 1,
      approx_tokens: expect.any(Number),
    });
    expect(messages[2]).toEqual({ role: "tool", tool_call_id: "c1", name: "grep", content: "src/x.ts:1: x" });
    expect(messageFormats.openai.check({ messages })).toEqual([]);
  });

  it("leaves a turn out that was cut short before its results", () => {
    const recorder = new Recorder({ id: "demo-x-1", model: "gpt-4o", task: "Find x." });
    recorder.say("user", "Find x.");
    recorder.answer("Where is it?", [call, { ...call, id: "c2" }]);
    recorder.result("c1", "grep", "src/x.ts:1: x");
    const [metadata, ...messages] = recorder
      .text()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(metadata).toMatchObject({ n_messages: 1, n_assistant: 0, n_tool_calls: 0 });
    expect(messages).toEqual([{ role: "user", content: "Find x." }]);
  });
});

describe("the cast of a demo", () => {
  it("differs from the second round on in window, surveys and part of the turns", () => {
    const cast = castOf(3 * CAST.length);
    expect(new Set(cast.map(({ agent }) => agent)).size).toBe(cast.length);
    for (const [index, member] of cast.slice(CAST.length).entries()) {
      const first = CAST[index % CAST.length] as (typeof CAST)[number];
      expect(member.window).not.toBe(first.window);
      expect(member.share).toBeLessThan(1);
    }
    expect(castOf(24)).toEqual(cast);
  });
});
