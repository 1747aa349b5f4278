import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdownOf } from "../../../src/window/checkpoint/index.ts";
import { documentOf } from "./document-of.ts";

const SECTIONS = [
  "Next step",
  "In progress",
  "Blocked",
  "Planned",
  "Done",
  "Goal",
  "Constraints and criteria",
  "Decisions",
  "Open issues",
  "Learnings",
  "Notes",
  "Environment",
  "Delegated work",
  "What happened so far",
  "Carried lines",
];

/** The lines of a page that stand in no fence, and the fences. */
function blocksOf(page: string) {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of page.split("\n")) {
    const [, run] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === null) {
      if (run === undefined) lines.push(line);
      else fence = run;
    } else if (line.trim().startsWith(fence) && /^`+$/.test(line.trim())) fence = null;
  }
  return { lines, open: fence };
}

/** A line as a reader of Markdown sees it: a letter for what is code or escaped. */
function bare(line: string): string {
  let rest = "";
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    if (character === "\\") {
      at++;
      rest += "e";
    } else if (character === "`") {
      const [run = ""] = /^`+/.exec(line.slice(at)) ?? [];
      const end = [...line.slice(at + run.length).matchAll(/`+/g)].find(([each]) => each.length === run.length);
      if (end === undefined) return `${rest}UNCLOSED ${line}`;
      at += run.length + end.index + run.length - 1;
      rest += "c";
    } else rest += character;
  }
  return rest;
}

const headings = (lines: readonly string[]) => lines.filter((line) => /^ {0,3}#{1,6}(?: |$)/.test(line));
const PIECES = [
  "# x",
  "## Done",
  "- [x] all",
  "* y",
  "1. z",
  "1) z",
  "> q",
  "```",
  "````",
  "~~~",
  "`",
  "``",
  "<script>",
  "</div>",
  "<!--",
  "[a](http://b)",
  "![i](x)",
  "[r]: http://x",
  "https://e.com",
  "|",
  "---",
  "|---|",
  "===",
  "\n",
  "\n\n",
  "\r",
  "\t",
  "    ",
  "\\",
  "__",
  "*",
  "~~",
  "$",
  "&lt;",
  "\u0000",
  "\u202e",
  "\u2028",
  "\ud800",
  "word",
  " ",
];
const words = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(""));

describe("the page of a checkpoint", () => {
  it("has its sections in the order in which one goes on with the work", () => {
    const page = markdownOf(documentOf());
    const titles = headings(page.split("\n")).map((line) => line.replace(/^#+ /, ""));
    expect(titles).toEqual([
      "Port the parser to the new grammar",
      ...SECTIONS.slice(0, 5),
      "Constraints and criteria",
      "Constraints",
      "It is done when",
      "The user's rules",
      ...SECTIONS.slice(7, 11),
      "On bugs",
      ...SECTIONS.slice(11),
    ]);
    expect(page).toContain(
      "Session `parser/port` · window 2 · turn 41 · state version 57 · checkpoint c3 · saved 2026-03-04 05:06:07 UTC because the window was filling up · 108,800 of 128,000 tokens",
    );
    expect(page).not.toMatch(/\n{3}/);
    expect(page.endsWith("\n```\n")).toBe(true);
  });

  it("ticks what is done and nothing else", () => {
    const page = markdownOf(documentOf());
    expect(page.match(/^- \[x\] .*$/gm)).toEqual(["- [x] Read the grammar (`t1`)"]);
    expect(page.match(/^- \[ \] .*$/gm)).toEqual([
      "- [ ] Write the lexer (`t2`): strings are left",
      "- [ ] Publish (`t4`): no credentials",
      "- [ ] Write the parser (`t3`)",
    ]);
  });

  it("has decisions with their reasons, notes by importance, files with their hashes", () => {
    const page = markdownOf(documentOf());
    expect(page).toContain(
      "- Write the lexer by hand\n  - Why: faster than a table\n  - Instead of: generated; regex\n",
    );
    expect(page).toContain(
      "- `n2` (critical)\n\n  > Line one.  \n  > Line two.\n\n- `n1` (normal): Tabs count as eight.\n",
    );
    expect(page).toContain(
      "- `cwd`: `/home/me/parser`\n- `branch`: `port`\n- `node`: `20`\n- Files and their hashes:\n  - `src/lexer.ts`: `a1b2c3d4`\n",
    );
  });

  it("leaves out what is empty", () => {
    const page = markdownOf(
      documentOf({
        task: { goal: null, success_criteria: [], constraints: [] },
        user_rules: [],
        subtasks: [],
        next_step: null,
        decisions: [],
        open_issues: [],
        learnings: [],
        notes: [],
        environment: {},
        delegations: [],
        summary: null,
        ledger: null,
      }),
    );
    expect(page.split("\n")).toHaveLength(4);
    expect(page).toMatch(/^# Checkpoint\n\nSession /);
  });

  it("shows a goal of several lines whole, its first line as the title", () => {
    const page = markdownOf(
      documentOf({ task: { goal: "Port it.\n\nAll of #1.", success_criteria: [], constraints: [] } }),
    );
    expect(page).toMatch(/^# Port it\.\n/);
    expect(page).toContain("## Goal\n\n> Port it.\n>\n> All of #1.\n");
  });

  it("fences lines in more backticks than any of them has", () => {
    const page = markdownOf(documentOf({ ledger: "a\n`````\n# not a heading" }));
    expect(page).toContain("``````text\na\n`````\n# not a heading\n``````\n");
  });

  it("keeps code in single backticks readable and addresses dead", () => {
    const page = markdownOf(
      documentOf({ next_step: "Run `a <b> *c*` in my_file.py, see https://x.y/z and [it](j:s)." }),
    );
    expect(page).toContain("Run `a <b> *c*` in my_file.py, see https\\://x.y/z and \\[it](j:s).");
  });

  it("lets no words out of their place, whatever they look like", () => {
    fc.assert(
      fc.property(words, words, words, (a, b, c) => {
        const document = documentOf({
          session_id: `s${a}`.slice(0, 256),
          task: { goal: a, success_criteria: [b], constraints: [c, a] },
          user_rules: [b],
          subtasks: [
            { id: "t1", title: a, status: "planned", note: b },
            { id: `${c}x`.slice(0, 64), title: b, status: "done", note: c },
          ],
          next_step: c,
          decisions: [{ decision: a, rationale: b, alternatives: [c, a] }],
          open_issues: [b],
          learnings: [c],
          notes: [{ note_id: "n1", category: "misc", importance: "high", text: a }],
          environment: { [b]: c, files: { [a]: b }, list: [c] },
          delegations: [
            {
              delegation_id: "d1",
              child_session_id: `${a}y`.slice(0, 256),
              title: b,
              status: "done",
              budget_tokens: 1,
            },
          ],
          summary: { text: c, generation: 1 },
          ledger: a,
        });
        const page = markdownOf(document);
        const { lines, open } = blocksOf(page);
        expect(open, "a fence is open at the end").toBeNull();
        const [, ...titles] = headings(lines).map((line) => line.replace(/^ *#+ /, ""));
        const allowed = [...SECTIONS, "Constraints", "It is done when", "The user's rules", "Other notes"];
        expect(titles.filter((title) => !allowed.includes(title))).toEqual([]);
        expect(new Set(titles).size).toBe(titles.length);
        const boxes = lines.filter((line) => /^[\s>]*(?:[-*+]|\d+[.)]) \[[ xX]\]/.test(line));
        expect(boxes.map((line) => line.slice(0, 5))).toEqual(["- [ ]", "- [x]"]);
        for (const line of lines) {
          const seen = bare(line.replace(/^[\s>]*(?:- \[[ x]\])?/, "")).trim();
          expect(seen).not.toMatch(/UNCLOSED|[<|*~$]|:\/\/|\[|&#?\w+;/);
          expect(seen).not.toMatch(/^(?:-+|=+|_+)$|[\u0000-\u001f\u202e\u2028\ud800]/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("is made of a text of megabytes in a time that grows with it", () => {
    const texts = [" ".repeat(2_000_000), "` ".repeat(1_000_000), "\n ".repeat(1_000_000), "*_".repeat(1_000_000)];
    for (const text of texts) {
      const page = markdownOf(documentOf({ summary: { text: `${text}x`, generation: 1 } }));
      expect(page).toContain("x\n");
    }
  });
});
