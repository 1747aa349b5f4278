import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PolicyFigures, sumOf } from "../../src/shadow/policy-measure.ts";
import { type AgentRun, anyRun } from "../support/agent-run.ts";
import { TENANT } from "../support/manager.ts";
import { ShadowedManager } from "../support/shadowed-manager.ts";
import { SimulatedAgent } from "../support/simulated-agent.ts";

const CASES = process.env["CONTEXTD_LONG"] === "1" ? 5_000 : 80;
const MOST_STEPS = 60;
const CANDIDATES = { twin: {}, sliding: { eviction: { policy: "sliding_window" } } };

/** Plays a run that is watched from its opening on. */
async function watched(run: AgentRun, lag: boolean) {
  const side = new ShadowedManager({ "shadow.candidates": CANDIDATES });
  const agent = new SimulatedAgent(side.host, run.setup);
  try {
    await agent.open();
    for (const step of run.steps) {
      await agent.take(step);
      if (!lag) await side.shadow.settled();
    }
    const figures = await side.figures(agent.id);
    const [session] = side.shadow.sessions(TENANT);
    return { figures, ended: session?.ended ?? null, records: session?.records() ?? [], lines: side.log.lines };
  } finally {
    await agent.host.manager.stop();
    await side.stop();
  }
}

/** The run without what is told to the live session alone: a candidate decides without it. */
function toldToAll({ setup, steps }: AgentRun): AgentRun {
  return {
    setup,
    steps: steps.map((step) => (step.kind === "turn" ? { ...step, overflows: 0, estimatedResponse: null } : step)),
  };
}

describe("any run that is watched", () => {
  it("is followed without a fault, and measured the same whether the shadow lags or not", async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(MOST_STEPS), async (run) => {
        const { ended, records, lines, figures } = await watched(run, false);
        expect(ended, JSON.stringify(lines)).not.toBe("fault");
        for (const record of records) expect(record.ended, record.policy).not.toBe("fault");
        expect((await watched(run, true)).figures).toEqual(figures);
      }),
      { numRuns: CASES },
    );
  });

  it("has the figures of its live policy with a candidate that changes nothing", async () => {
    const compared: PolicyFigures[] = [];
    await fc.assert(
      fc.asyncProperty(anyRun(MOST_STEPS).map(toldToAll), async (run) => {
        const { figures, records } = await watched(run, false);
        if (records[1]?.ended !== null) return;
        expect(figures["twin"]).toEqual(figures["live"]);
        compared.push(figures["live"] as PolicyFigures);
      }),
      { numRuns: CASES },
    );
    const { turns, needs, edits } = sumOf(compared);
    // A run that comes to a new window is watched no longer.
    expect(Math.min(turns, needs, edits), "the runs have something to compare").toBeGreaterThan(CASES / 2);
  });
});
