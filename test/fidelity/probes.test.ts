import { describe, expect, it } from "vitest";
import { buildProbes } from "../../src/fidelity/build.ts";
import { judgeLexically } from "../../src/fidelity/judge-lexical.ts";
import type { Passage } from "../../src/model/passage.ts";
import { PROBE_TYPES, type ProbeType } from "../../src/model/probe.ts";
import { asks, calls, says, yields } from "./passages.ts";

function probesOf(
  type: ProbeType,
  passages: readonly Passage[],
  goal: string | null = null,
  constraints: string[] = [],
) {
  return buildProbes({ goal, constraints, passages }).filter((probe) => probe.type === type);
}

const factsOf = (...given: Parameters<typeof probesOf>) => probesOf(...given).map(({ facts }) => facts[0]);

describe("probes", () => {
  it("ask for the goal by a short task's own words, and by what a long one marks as asked for", () => {
    const short = probesOf("goal", [], "Find which connector drops invoices, and mend it.");
    expect(short[0]?.facts).toEqual(expect.arrayContaining(["connector", "drops", "invoices", "mend"]));
    const rules = "You are given a checkout of the code. Answer with one command at a time.\n".repeat(10);
    const long = `${rules}<issue_description>\nQuerySet.only() loses fields after select_related\n</issue_description>\n${rules}`;
    expect(probesOf("goal", [], long)[0]?.facts).toEqual(
      expect.arrayContaining(["select_related", "queryset", "fields"]),
    );
  });

  it("ask for the task's constraints word for word, and for rules that a user gave in passing by what they are about", () => {
    const passages = [
      asks("Thanks. You must never write to the production ledger table."),
      asks("What is the weather in Linz today?"),
    ];
    const [given, stated, ...others] = probesOf("constraint", passages, null, ["Answer in German."]);
    expect(given).toMatchObject({ facts: ["Answer in German."], within: null, share: 1 });
    expect(stated?.facts).toEqual(expect.arrayContaining(["production", "ledger", "table"]));
    expect(others).toEqual([]);
  });

  it("ask for decisions by their names first, and take no plan and no question for one", () => {
    const passages = [
      says("I decided to move the counter into `LockLease` instead of patching the retry loop."),
      says("Let me look at the retry loop because it is long."),
      says("Is the retry loop the root cause of the failing counter?"),
    ];
    expect(factsOf("decision", passages)).toEqual(["locklease"]);
  });

  it("ask for the files that were written before those that were read", () => {
    const reads = Array.from({ length: 8 }, (_, n) => calls("read_file", { path: `lib/part_${n}.ts` }));
    const passages = [
      calls("str_replace_editor", { command: "create", path: "/tmp/x1/repo/src/lease.ts", file_text: "…" }),
      calls("bash", { command: "cat <<'EOF' > notes/todo.md\ncat other.md\nEOF" }),
      calls("apply_patch", { input: "*** Begin Patch\n*** Update File: src/worker.ts\n@@\n-a\n+b\n*** End Patch" }),
      calls("bash", { command: "sed -i 's/a/b/' src/context.ts && rm -f old.sql" }),
      ...reads,
    ];
    expect(factsOf("file", passages).sort()).toEqual(["context.ts", "lease.ts", "old.sql", "todo.md", "worker.ts"]);
  });

  it("name a file by as much of its path as tells it from others", () => {
    const passages = ["a/index.ts", "b/models.ts", "c/models.ts", "unique.ts", "/tmp/x/unique.ts"].map((path) =>
      calls("write_file", { path }),
    );
    expect([...new Set(factsOf("file", passages))].sort()).toEqual([
      "a/index.ts",
      "b/models.ts",
      "c/models.ts",
      "unique.ts",
    ]);
  });

  it("ask for errors as they were, the last one in any case, and not for those that code speaks of", () => {
    const older = Array.from({ length: 6 }, (_, n) => [
      yields(`ValueError: column number ${n}00 is not sorted`),
      says(`The ValueError about column ${n}00 again.`),
    ]).flat();
    const passages = [
      ...older,
      yields(
        '  12\tthrow new Error("not in the table")\nraise ValueError("never raised")\n# error: a comment about one',
      ),
      yields(
        "Unhandled exception\ncompiling\nsrc/a.ts(3,4): error TS2345: Argument of type 'string' is not assignable.\nexit code 2",
      ),
    ];
    const facts = factsOf("error", passages);
    expect(facts[0]).toBe("error TS2345: Argument of type 'string' is not assignable.");
    expect(facts).toHaveLength(5);
    expect(facts.join("\n")).not.toMatch(/table|never|comment/);
  });

  it("take what a tool marks as failed for an error, whatever it says", () => {
    expect(factsOf("error", [yields("The seat is taken already", true)])).toEqual(["The seat is taken already"]);
    expect(factsOf("error", [yields("The seat is taken already")])).toEqual([]);
  });

  it("ask for numbers with what they count, for long ones by themselves, and for no years", () => {
    const passages = [
      says("The lazy lease takes 18.42 ms, and 37 batches were settled in 2025."),
      yields("......\n211 passed, 2 failed in 48s"),
    ];
    const facts = probesOf("number", passages).map((probe) => probe.facts.join(" "));
    expect(facts.sort()).toEqual(["18.42", "2 failed", "211 passed", "37 batches"]);
  });

  it("ask for the last step that was announced, and for the points that a list leaves open", () => {
    const passages = [
      says("Next I will read the settlement worker."),
      calls("todo_write", {
        todos: [
          { content: "Read the settlement worker", status: "completed" },
          { content: "Describe the attempt counter in the docs", status: "pending" },
        ],
      }),
      says("Next I will measure what the lazy lease costs."),
    ];
    const facts = probesOf("next_step", passages).map((probe) => probe.facts);
    expect(facts[0]).toEqual(expect.arrayContaining(["measure", "lazy", "lease", "costs"]));
    expect(facts[1]).toEqual(expect.arrayContaining(["describe", "attempt", "counter", "docs"]));
    expect(facts).toHaveLength(2);
  });

  it("prefer what the agent came back to over what it said once", () => {
    const once = Array.from({ length: 9 }, (_, n) =>
      says(`The fix is to rename module_${n}x before anything else happens.`),
    );
    const passages = [
      says("The root cause is the stale cursor_cache in the reader pool."),
      says("I look at cursor_cache."),
      says("So cursor_cache it is."),
      ...once,
    ];
    expect(factsOf("decision", passages)).toContain("cursor_cache");
  });
});

/** A conversation with something of every kind in it. */
const conversation: Passage[] = Array.from({ length: 12 }, (_, n) => [
  asks(`You must not touch the table ledger_${n} of the partner team.`),
  says(
    `I decided to move counter_${n} into the lease instead of the loop. It takes ${n + 3}1.25 ms. Next I will test the new worker_${n} again under load.`,
  ),
  calls("write_file", { path: `src/worker_${n}.ts`, content: "x" }),
  yields(`TypeError: cannot read attempts of lease ${n}`),
]).flat();
const original = {
  goal: "Find which connector drops invoices.",
  constraints: ["Answer in German."],
  passages: conversation,
};

describe("a set of probes", () => {
  it("has as many of a type as it may have, and one of each type at least", () => {
    for (const perType of [1, 3, 5]) {
      const probes = buildProbes(original, { perType });
      const counts = PROBE_TYPES.map((type) => probes.filter((probe) => probe.type === type).length);
      expect(Math.max(...counts)).toBe(perType);
      expect(Math.min(...counts)).toBe(1);
    }
  });

  it("is the same for the same original", () => {
    expect(buildProbes(original)).toEqual(buildProbes(structuredClone(original)));
  });

  it("says which block each fact comes from, and names no block for the task", () => {
    const ids = new Map(conversation.map(({ blockId, turn }) => [blockId, turn]));
    for (const { type, blockId, turn } of buildProbes(original)) {
      if (blockId === null) expect(["goal", "constraint"]).toContain(type);
      else expect(ids.get(blockId)).toBe(turn);
    }
  });

  it("is met in full by the original itself", () => {
    const texts = [original.goal, ...original.constraints, ...conversation.map(({ text }) => text)];
    expect(judgeLexically(buildProbes(original), texts).score).toBe(1);
  });

  it("is empty where there is nothing to ask for", () => {
    expect(buildProbes({ goal: null, constraints: [], passages: [yields(""), says("OK.")] })).toEqual([]);
  });

  it("is made of any text, be it no JSON, no words or no end", () => {
    const wild = [
      "{",
      "\u0000\ud800",
      "a/".repeat(20_000),
      "error: ".repeat(20_000),
      "[ ] ".repeat(9_000),
      "1,".repeat(50_000),
      `${"\n".repeat(60_000)}[ ]`,
      `<${"issue".repeat(5_000)}`,
      '{"pending"'.repeat(9_000),
    ];
    for (const text of wild) {
      const passages = [
        says(text),
        asks(text),
        yields(text),
        { ...calls("bash", {}), tool: { callId: "c", name: "bash", argumentsText: text } },
      ];
      const before = performance.now();
      expect(() => buildProbes({ goal: text, constraints: [text], passages })).not.toThrow();
      expect(performance.now() - before).toBeLessThan(500);
    }
  });
});
