import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractIdentifiers } from "../../src/references/identifiers.ts";

const MIB = 1024 * 1024;

describe("identifiers", () => {
  it.each([
    ["paths and their base names", "see /testbed/io/ascii/html.py now", ["/testbed/io/ascii/html.py", "html.py"]],
    ["paths without their line numbers", "src/app.ts:120:7", ["src/app.ts", "app.ts", "120"]],
    ["relative paths without their dot", "./src/app.ts", ["src/app.ts", "app.ts"]],
    ["URLs without the sentence's full stop", "(https://a.example/x?y=1#z).", ["https://a.example/x?y=1#z"]],
    ["URLs behind an assignment", "BASE_URL=http://h.example:80/p", ["http://h.example:80/p", "BASE_URL"]],
    ["dotted names and their telling parts", "self._convert_vals()", ["self._convert_vals", "_convert_vals"]],
    ["snake names", "max_tokens __init__ A_B", ["max_tokens", "__init__"]],
    ["camel names", "fooBar and QuerySet", ["fooBar", "QuerySet"]],
    ["ids of letters and digits", "commit 3f2a91c, TS2345", ["3f2a91c", "TS2345"]],
    ["UUIDs", "550e8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440000"]],
    ["numbers of three digits and more", "7 42 360 3.14 1.2.3 2024-01-15", ["360", "3.14", "1.2.3", "2024-01-15"]],
    ["error codes", "ENOENT, not ERROR", ["ENOENT"]],
    ["flags", "run --dry-run -v", ["--dry-run"]],
    ["e-mail addresses", "to bob.b@example.com.", ["bob.b@example.com"]],
    ["quoted phrases", `said "no such table here"`, ["no such table here"]],
    ["back-ticked commands", "run `npm test` first", ["npm test"]],
    ["names in escaped text", '{"a":"one\\nnext_line\\ttab_bed"}', ["next_line", "tab_bed"]],
    ["quoted phrases in escaped text", '{\\"q\\": \\"no such table here\\"}', ["no such table here"]],
    ["names in the middle of text without blanks", "文件src_dir/foo存在", ["src_dir/foo"]],
    ["names with letters of other scripts", "naïve_model", ["naïve_model"]],
  ])("are %s", (_what, text, expected) => {
    expect(extractIdentifiers(text)).toEqual(expected);
  });

  it.each([
    ["prose", "The user's wish, as I said: it is well-known, and state-of-the-art."],
    ["apostrophes", "don't say it isn't what we've got"],
    ["short names", "a_b x1 if"],
    ["data without a blank", `A1${"b2".repeat(4_000)}`],
    ["data that delimits nothing but itself", "a_bc=".repeat(1_000)],
    ["names that are too long", `${"a_".repeat(90)}b`],
  ])("are not in %s", (_what, text) => {
    expect(extractIdentifiers(text)).toEqual([]);
  });

  it("are found once each", () => {
    expect(extractIdentifiers("max_tokens max_tokens `max_tokens`")).toEqual(["max_tokens"]);
  });

  it("are found in the beginning and the end of a text that is too long to be read whole", () => {
    const filler = "word ".repeat(20_000);
    const found = extractIdentifiers(`first_name ${filler} middle_name ${filler} last_name`);
    expect(found).toEqual(["first_name", "last_name"]);
  });

  it("are never halved by the cut of a long text", () => {
    for (let shift = 0; shift < 24; shift++) {
      const text = `${"x".repeat(shift)} ${"some_identifier42 ".repeat(5_000)}`;
      expect(extractIdentifiers(text)).toEqual(["some_identifier42"]);
    }
  });

  it("are 2,000 at most", () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `n_${index}`).join(" ");
    expect(extractIdentifiers(text)).toHaveLength(2_000);
  });

  it.each([
    ["one character", "a".repeat(MIB)],
    ["slashes", "/".repeat(MIB)],
    ["dots", "a.".repeat(MIB / 2)],
    ["mixed quotes", "\"'`".repeat(MIB / 3)],
    ["open quotes of many lengths", "'a \"b `c\n".repeat(MIB / 9)],
    ["addresses that never end", "a@a-".repeat(MIB / 4)],
    ["paths of many parts", `${"a_b/".repeat(255)} `.repeat(1_000)],
    ["colons", "x:/y".repeat(MIB / 4)],
    ["escapes", "\\n".repeat(MIB / 2)],
    ["hyphens", `${"a-".repeat(500)} `.repeat(1_000)],
    ["schemes", `${"a://".repeat(250)} `.repeat(1_000)],
  ])("of a megabyte of %s are found in the time of a small text", (_what, text) => {
    extractIdentifiers(text.slice(0, 10_000));
    const begun = performance.now();
    extractIdentifiers(text);
    // A few milliseconds on any machine; a quadratic scan takes minutes.
    expect(performance.now() - begun).toBeLessThan(500);
  });

  it("stand in the text, within the length limits, for any text", () => {
    const pieces = fc.constantFrom(
      "a",
      "B",
      "9",
      "_",
      ".",
      "/",
      "-",
      ":",
      "@",
      "://",
      "'",
      '"',
      "`",
      " ",
      "\n",
      "\\n",
      "é",
      "文",
      "=",
    );
    const texts = fc.oneof(
      fc.array(pieces, { maxLength: 200 }).map((list) => list.join("")),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const found = extractIdentifiers(text);
        expect(new Set(found).size).toBe(found.length);
        for (const identifier of found) {
          expect(text).toContain(identifier);
          expect(identifier.length).toBeGreaterThanOrEqual(3);
          expect(identifier.length).toBeLessThanOrEqual(160);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
