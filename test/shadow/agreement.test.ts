import { describe, expect, test } from "vitest";
import { NO_PLUGINS, resolveSettings } from "../../src/config/index.ts";
import { Replayer } from "../../src/replay/replay.ts";
import { sessionWindow } from "../../src/replay/windows.ts";
import { configWith } from "../config/config-with.ts";
import { TENANT } from "../support/manager.ts";
import { ShadowedManager } from "../support/shadowed-manager.ts";
import { playRun, recordedText } from "./recorded-agent.ts";

const config = configWith();

describe("the figures of a watched session", () => {
  test.each([
    ["openai", 6000],
    ["anthropic", 6000],
    // Here turns are left out whose own step leaves the policy little to choose.
    ["openai", 4000],
  ] as const)(
    "are those that a replay of the same run has, live and candidate alike, in the format %s at %s tokens",
    async (format, window) => {
      const maxTokens = sessionWindow(window, resolveSettings(config, config.profile));
      const policies = ["hybrid", "fifo", "sliding_window", "none"];
      const candidates = Object.fromEntries(policies.slice(1).map((policy) => [policy, { eviction: { policy } }]));
      const side = new ShadowedManager({ "shadow.candidates": candidates });
      await playRun(side.host, { format, max_context_tokens: maxTokens, settings: { eviction: { policy: "hybrid" } } });
      const { live, ...others } = await side.figures("s");
      await side.stop();
      const replayer = new Replayer(
        { policies, windows: [String(window)], count: "o200k_base", model: "gpt-4o", format },
        { config, plugins: NO_PLUGINS },
      );
      const { replayed } = await replayer.replay(recordedText, "long-run");
      for (const { policy, figures } of replayed) {
        const own = policy === "hybrid" ? live : others[policy];
        expect(own, policy).toMatchObject({
          turns: figures.requests,
          needs: figures.needs,
          tokensSent: figures.tokensSent,
          prefixHits: figures.prefixHits,
          edits: figures.edits,
          editedTurns: figures.editedRequests,
        });
        if (!own) continue;
        expect(own.needWeight).toBeCloseTo(figures.needWeight, 9);
        expect(own.lineWeight / own.needWeight).toBeCloseTo(figures.line as number, 9);
        expect(own.valueWeight / own.needWeight).toBeCloseTo(figures.value as number, 9);
        expect(own.costTokens / own.unmanagedCostTokens).toBeCloseTo(figures.cost, 9);
      }
      expect(replayed).toHaveLength(policies.length);
    },
  );

  test("are the same whether it is watched from its opening or taken up from the journal", async () => {
    const side = new ShadowedManager({
      "shadow.candidates": { sliding: { eviction: { policy: "sliding_window" } } },
      "shadow.sessions.agents": ["coder"],
    });
    await playRun(side.host, { session_id: "from the opening" });
    await playRun(side.host, {
      session_id: "taken up",
      agent: "another",
      afterTurn: (turn) => {
        if (turn === 30) side.shadow.watch({ tenant: TENANT, id: "taken up" });
      },
    });
    const taken = await side.figures("taken up");
    expect(taken).toEqual(await side.figures("from the opening"));
    expect(taken["sliding"]).toMatchObject({ turns: 61 });
    expect(taken["sliding"]?.lineWeight).not.toBe(taken["live"]?.lineWeight);
    await side.stop();
  });
});
