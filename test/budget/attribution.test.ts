import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mcpServerOf, type ToolContent, ToolTally } from "../../src/budget/attribution.ts";

describe("the server of a tool", () => {
  it.each([
    ["mcp__github__create_issue", "github"],
    ["mcp__my_server__tool__with__parts", "my_server"],
    ["bash", null],
    ["mcp__", null],
    ["mcp__github", null],
    ["mcp__github__", null],
    ["mcp____tool", null],
    ["xmcp__github__tool", null],
  ])("in %s is %s", (tool, server) => {
    expect(mcpServerOf(tool)).toBe(server);
  });
});

describe("the tally of tools", () => {
  it("counts definitions and results by tool and by server, the biggest first", () => {
    const tally = new ToolTally();
    tally.add("definition", "bash", 100);
    tally.add("definition", "mcp__github__search", 300);
    tally.add("result", "mcp__github__search", 5_000);
    tally.add("result", "mcp__github__read", 1_000);
    tally.add("result", "bash", 2_000);
    tally.add("result", "bash", 500);
    expect(tally.byTool()).toEqual([
      { tool: "mcp__github__search", server: "github", definition_tokens: 300, result_tokens: 5_000, results: 1 },
      { tool: "bash", server: null, definition_tokens: 100, result_tokens: 2_500, results: 2 },
      { tool: "mcp__github__read", server: "github", definition_tokens: 0, result_tokens: 1_000, results: 1 },
    ]);
    expect(tally.byServer()).toEqual([
      { server: "github", tools: 2, definition_tokens: 300, result_tokens: 6_000 },
      { server: null, tools: 1, definition_tokens: 100, result_tokens: 2_500 },
    ]);
  });

  it("takes away what leaves, and follows what is truncated", () => {
    const tally = new ToolTally();
    tally.add("result", "bash", 2_000);
    tally.add("result", "bash", 500);
    tally.resize("result", "bash", 2_000, 80);
    tally.remove("result", "bash", 500);
    expect(tally.byTool()).toMatchObject([{ result_tokens: 80, results: 1 }]);
    tally.remove("result", "bash", 80);
    expect(tally.byTool()).toEqual([]);
  });

  it("refuses to take away more than came", () => {
    const tally = new ToolTally();
    tally.add("definition", "bash", 100);
    expect(() => tally.remove("result", "bash", 100)).toThrow(/bash/);
    expect(() => tally.remove("definition", "bash", 101)).toThrow(/bash/);
    expect(tally.byTool()).toMatchObject([{ definition_tokens: 100 }]);
  });

  it("is at home with tools named like members of an object", () => {
    const tally = new ToolTally();
    tally.add("result", "__proto__", 5);
    tally.add("result", "constructor", 7);
    expect(tally.byTool().map((each) => each.tool)).toEqual(["constructor", "__proto__"]);
  });

  it("equals a recount of what is live after any arrivals and departures", () => {
    const content = fc.constantFrom<ToolContent>("definition", "result");
    const arrival = fc.record({ content, tool: fc.constantFrom("a", "b", "mcp__s__t"), tokens: fc.nat(1_000) });
    fc.assert(
      fc.property(fc.array(fc.tuple(arrival, fc.boolean()), { maxLength: 40 }), (arrivals) => {
        const tally = new ToolTally();
        for (const [each] of arrivals) tally.add(each.content, each.tool, each.tokens);
        for (const [each, leaves] of arrivals) if (leaves) tally.remove(each.content, each.tool, each.tokens);
        const live = arrivals.filter(([, leaves]) => !leaves).map(([each]) => each);
        const sum = (tool: string, kind: ToolContent) =>
          live
            .filter((each) => each.tool === tool && each.content === kind)
            .reduce((total, each) => total + each.tokens, 0);
        const rows = tally.byTool();
        expect(new Set(rows.map((row) => row.tool))).toEqual(new Set(live.map((each) => each.tool)));
        for (const row of rows) {
          expect(row.definition_tokens).toBe(sum(row.tool, "definition"));
          expect(row.result_tokens).toBe(sum(row.tool, "result"));
        }
      }),
    );
  });
});
