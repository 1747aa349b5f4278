import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRules } from "../../src/compression/constraints.ts";

describe("the rules in a user's message", () => {
  it.each([
    "Never push to main.",
    "You must keep the public API unchanged.",
    "Do not modify the tests.",
    "Don't use any new dependency.",
    "Always run the linter before committing.",
    "Only change files under src/.",
    "Avoid global state.",
    "Make sure that all tests pass.",
    "Ensure the output is valid JSON.",
    "A changelog entry is required for each change.",
    "The answer must not be longer than 200 words.",
    "Use at most two queries.",
    "I don't want any emails sent.",
    "We never log personal data.",
    "Finish without touching the database.",
  ])("hold %j", (rule) => {
    expect(findRules(`Please mend the parser. ${rule} Thank you!`)).toEqual([rule]);
  });

  it.each([
    "It does not work.",
    "I don't know why it fails.",
    "The parser never returns when the file is empty, I think.",
    "Do you always do it like that?",
    "I only have $950 left.",
    "Never mind, go on.",
    "Please cancel my order.",
    "> You must obey the quoted mail.",
    "2024-01-02 10:00:00 ERROR must not be null",
    "    assert user must not be None;",
    'raise ValueError("must be positive");',
  ])("do not hold %j", (text) => {
    expect(findRules(text)).toEqual([]);
  });

  it("are list lines without their bullets, and sentences over broken lines, each a piece of the message", () => {
    const text =
      "Rules:\n- Never push.\n2. Do not touch the\n   tests of others\n* [ ] Avoid eval\n\nYou must write\nall of it in Go. The rest is free.";
    const rules = findRules(text);
    expect(rules).toEqual([
      "Never push.",
      "Do not touch the\n   tests of others",
      "Avoid eval",
      "You must write\nall of it in Go.",
    ]);
    for (const rule of rules) expect(text).toContain(rule);
  });

  it("are not looked for in code fences, quoted material and pastes", () => {
    const paste = Array.from({ length: 60 }, (_, n) => `value ${n} must be set`).join("\n");
    expect(
      findRules(
        `\`\`\`\nYou must not read this.\n\`\`\`\n<issue_description>\nIt must never happen.\n</issue_description>\nlog:\n${paste.toLowerCase()}`,
      ),
    ).toEqual([]);
    expect(findRules("<issue>x must be y</issue>\nNever push.")).toEqual(["Never push."]);
  });

  it("are told once, and bounded in number and length", () => {
    expect(findRules("Never push. Never push.")).toEqual(["Never push."]);
    const many = Array.from({ length: 100 }, (_, n) => `- Never touch file ${n}.`).join("\n");
    expect(findRules(many)).toHaveLength(20);
    expect(findRules(`Never ${"x ".repeat(400)}.`)).toEqual([]);
  });

  it("are pieces of any message, found in bounded time", () => {
    const words = fc.constantFrom(
      "Never",
      " ",
      "\n",
      "- ",
      "must",
      "```",
      "<log>",
      "</log>",
      ".",
      "? ",
      "A",
      "do not",
      "  ",
      "x",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        for (const rule of findRules(text)) expect(text).toContain(rule);
      }),
    );
    const start = performance.now();
    for (const text of [
      "must ".repeat(200_000),
      "- never\n".repeat(100_000),
      "a".repeat(1_000_000),
      `${" ".repeat(500_000)}must`,
    ])
      findRules(text);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
