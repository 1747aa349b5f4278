import { describe, expect, it } from "vitest";
import { callKeyOf, SupersededIndex } from "../../src/eviction/index.ts";
import type { Block } from "../../src/model/block.ts";
import { ContextBuilder } from "../support/context-builder.ts";

function indexOf(build: (built: ContextBuilder) => void) {
  const built = new ContextBuilder();
  build(built);
  const index = new SupersededIndex();
  for (const block of built.blocks) index.add(block);
  const calls = built.blocks.filter((block) => block.part.kind === "tool_call");
  const results = built.blocks.filter((block) => block.part.kind === "tool_result");
  return { index, calls, results, of: (block: Block | undefined) => index.superseded(block!.id) };
}

describe("SupersededIndex", () => {
  it("knows a newer result of the same call, whatever the order of its arguments", () => {
    const { of, results } = indexOf((built) => {
      built.call("grep", { pattern: "x", path: "src" }, "1 match");
      built.call("grep", { path: "src", pattern: "x" }, "2 matches");
      built.call("grep", { path: "src", pattern: "y" }, "none");
    });
    expect(of(results[0])).toEqual({ byBlockId: results[1]!.id, rule: "newer_result" });
    expect(of(results[1])).toBeNull();
    expect(of(results[2])).toBeNull();
  });

  it("knows the live results of a call, failed ones left out", () => {
    const { index, results } = indexOf((built) => {
      built.call("grep", { pattern: "x", path: "src" }, "1 match");
      built.call("grep", { path: "src", pattern: "x" }, "timeout", { isError: true });
      built.call("grep", { path: "src", pattern: "x" }, "2 matches");
    });
    const key = callKeyOf({ name: "grep", argumentsText: '{ "path": "src", "pattern": "x" }' });
    expect(index.answersOf(key)).toEqual([results[0]!.id, results[2]!.id]);
    index.remove(results[2]!.id);
    expect(index.answersOf(key)).toEqual([results[0]!.id]);
    expect(index.answersOf("grep\n{}")).toEqual([]);
  });

  it("does not take a failed call for a newer answer", () => {
    const { of, results } = indexOf((built) => {
      built.call("fetch", { url: "u" }, "timeout", { isError: true });
      built.call("fetch", { url: "u" }, "content");
      built.call("fetch", { url: "u" }, "timeout", { isError: true });
    });
    expect(of(results[1])).toBeNull();
    expect(of(results[0])).toEqual({ byBlockId: results[2]!.id, rule: "newer_result" });
  });

  it.each([
    ["write_file", { path: "./src//a.py", content: "x" }],
    ["Edit", { file_path: "src/a.py", old_string: "a", new_string: "b" }],
    ["str_replace_editor", { command: "str_replace", path: "src/a.py" }],
    ["apply_patch", { input: "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** End Patch" }],
  ])("knows a later write of the file by %s", (tool, args) => {
    const { of, results } = indexOf((built) => {
      built.call("read_file", { path: "src/a.py" }, "old content");
      built.call("read_file", { path: "src/b.py" }, "other content");
      built.call(tool, args, "ok");
    });
    expect(of(results[0])).toEqual({ byBlockId: results[2]!.id, rule: "later_write" });
    expect(of(results[1])).toBeNull();
    expect(of(results[2])).toBeNull();
  });

  it.each([
    ["a failed write", "write_file", { path: "src/a.py" }, true],
    ["a reading command of an editor", "str_replace_editor", { command: "view", path: "src/a.py" }, false],
    ["another read", "open", { file: "src/a.py" }, false],
  ])("does not take %s for a write", (_what, tool, args, isError) => {
    const { of, results } = indexOf((built) => {
      built.call("read_file", { path: "src/a.py" }, "old content");
      built.call(tool, args, "text", { isError });
    });
    expect(of(results[0])).toBeNull();
  });

  it("takes the arguments of an earlier write for out of date, but not those of the write itself", () => {
    const { of, calls, results } = indexOf((built) => {
      built.call("write_file", { path: "a.md", content: "one" }, "ok");
      built.call("write_file", { path: "a.md", content: "two" }, "ok");
    });
    expect(of(calls[0])).toEqual({ byBlockId: results[1]!.id, rule: "later_write" });
    expect(of(calls[1])).toBeNull();
  });

  it("holds only while the newer block is live", () => {
    const { index, of, results } = indexOf((built) => {
      for (let i = 0; i < 3; i++) built.call("read_file", { path: "a" }, `v${i}`);
    });
    index.remove(results[2]!.id);
    expect(of(results[0])).toEqual({ byBlockId: results[1]!.id, rule: "newer_result" });
    index.remove(results[1]!.id);
    expect(of(results[0])).toBeNull();
    index.remove(results[0]!.id);
    expect(of(results[0])).toBeNull();
  });

  it("reads arguments that are no JSON, deeply nested or huge as plain text", () => {
    const hostile = [
      "{not json",
      "[".repeat(100_000),
      `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
      "x".repeat(1_000_000),
    ];
    const { index, results } = indexOf((built) => {
      for (let i = 0; i < 8; i++) built.call("t", {}, "r");
    });
    const fresh = new SupersededIndex();
    results.forEach((block, i) => {
      fresh.add({ ...block, tool: { callId: `c${i}`, name: "t", argumentsText: hostile[i % 4]! } });
    });
    expect(index.size).toBeGreaterThan(0);
    for (let i = 0; i < 4; i++) {
      expect(fresh.superseded(results[i]!.id)).toEqual({ byBlockId: results[i + 4]!.id, rule: "newer_result" });
    }
  });

  it("ignores results whose call is not known", () => {
    const { index } = indexOf((built) => built.assistant("no tool"));
    expect(index.size).toBe(0);
  });
});
