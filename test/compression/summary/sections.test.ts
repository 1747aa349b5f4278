import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSummary } from "../../../src/compression/summary/parse.ts";
import {
  cleanSections,
  emptySections,
  hasNoFacts,
  renderSummary,
  SECTION_NAMES,
  type SummarySections,
  sectionsBy,
} from "../../../src/compression/summary/sections.ts";

const item = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("#", "-", " ", "\n", "*", "G", "o", "a", "l", ":", "<", ">", "1", ".", "\r") }),
  fc.constantFrom(
    "## Goal",
    "- ## Errors\n  x",
    "**Done:**",
    "Goal: other",
    "</summary>",
    "a\n## Todo\n- b",
    "x\n\n\ny",
  ),
);
const sections = fc
  .record(Object.fromEntries(SECTION_NAMES.map((name) => [name, fc.array(item, { maxLength: 4 })])))
  .map((found) => cleanSections(found as unknown as SummarySections));

function parsed(text: string): SummarySections {
  const found = parseSummary(text);
  if (found === null) throw new Error("not parsed");
  return found;
}

describe("the text of a summary", () => {
  it("reads back as the sections it was written of, whatever their items say", () => {
    fc.assert(
      fc.property(sections, (given) => {
        fc.pre(!hasNoFacts(given));
        const text = renderSummary(given);
        expect(parsed(text)).toEqual(given);
        expect(renderSummary(parsed(text))).toBe(text);
      }),
    );
  });

  it("has a heading for each section with items, in one order", () => {
    const text = renderSummary({ ...emptySections(), errors: ["E: one\nmore"], goal: ["mend it"] });
    expect(text).toBe("## Goal\n- mend it\n## Errors\n- E: one\n  more");
  });
});

describe("reading a model's summary", () => {
  it("takes headings in other words, case and form", () => {
    const found = parsed(
      [
        "Here is the summary:",
        "",
        "# **Overall Goal**",
        "Mend the parser.",
        "### 2. Key Decisions (with rationale)",
        "* use a stack, because recursion overflows",
        "**Files Modified:**",
        "1. src/parse.ts",
        "   - the loop",
        "ERRORS:",
        "- none",
        "In progress: tests",
        "<next_steps>",
        "run the tests",
        "</next_steps>",
      ].join("\n"),
    );
    expect(found).toEqual({
      ...emptySections(),
      goal: ["Mend the parser."],
      decisions: ["use a stack, because recursion overflows"],
      files: ["src/parse.ts\n - the loop"],
      current: ["tests"],
      next_step: ["run the tests"],
    });
  });

  it("puts text under no known heading to what is done, and a deeper one's to its section", () => {
    const found = parsed("## Goal\n- a\n### About it\n- b\n## Weather\n- c");
    expect(found.goal).toEqual(["a", "b"]);
    expect(found.done).toEqual(["c"]);
  });

  it("reads a reply in a code fence, and bold bullets as headings", () => {
    const found = parsed("```markdown\n- **Goal**: win\n- **Next step:** go on\n```");
    expect(found).toEqual(sectionsBy((name) => (name === "goal" ? ["win"] : name === "next_step" ? ["go on"] : [])));
  });

  it.each(["", "No headings here, only talk.", "- a\n- b", '{"goal": "x"}'])("finds no summary in %j", (text) => {
    expect(parseSummary(text)).toBeNull();
  });
});
