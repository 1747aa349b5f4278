import { describe, expect, it } from "vitest";
import { largestSubtask, type SubtaskUnit } from "../../src/compression/subtask.ts";
import { PassageBuilder } from "../support/passages.ts";

function unit(unitId: number, text: string, tokens = 100): SubtaskUnit {
  return { unitId, tokens, passages: new PassageBuilder().says(text).passages };
}

const PARSER = [1, 2, 3, 4].map((id) => unit(id, `reading src/parser.ts and parse_line again`));
const DOCS = [5, 6, 7].map((id) => unit(id, `writing docs/guide.md about the siteMap`));

describe("the largest subtask", () => {
  it("is the largest run of units that share names with one another and not with the rest", () => {
    expect(largestSubtask([...PARSER, ...DOCS], [])).toEqual({
      title: "Work on src/parser.ts",
      goal: "Finish what concerns src/parser.ts, and report what was found and changed.",
      files: ["src/parser.ts"],
      units: [1, 2, 3, 4],
      tokens: 400,
    });
  });

  it("goes by tokens, and takes title and goal of a todo that names what it is about", () => {
    const heavy = DOCS.map((each) => ({ ...each, tokens: 900 }));
    expect(largestSubtask([...PARSER, ...heavy], ["Mend the parser.ts", "Finish guide.md for users"])).toMatchObject({
      title: "Finish guide.md for users",
      goal: "Finish guide.md for users",
      units: [5, 6, 7],
      tokens: 2_700,
    });
  });

  it("is none where everything hangs together, or nothing does", () => {
    expect(largestSubtask(PARSER, [])).toBeNull();
    expect(
      largestSubtask(
        [1, 2, 3, 4, 5].map((id) => unit(id, `only file${id}_x.ts`)),
        [],
      ),
    ).toBeNull();
    expect(largestSubtask([], [])).toBeNull();
  });

  it("is found in a long session in bounded time", () => {
    const long = Array.from({ length: 400 }, (_, n) =>
      unit(n, `file_${n % 20}.ts and name_${n >> 3} with other_${n % 7}`),
    );
    const start = performance.now();
    largestSubtask(long, []);
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
