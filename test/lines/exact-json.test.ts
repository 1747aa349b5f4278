import { describe, expect, test } from "vitest";
import { readExactJson } from "../../src/lines/exact-json.ts";

const spelled = (text: string) => {
  const value = readExactJson(text);
  return typeof value === "object" && "spelling" in value ? value.spelling : value;
};

describe("a JSON document read exactly", () => {
  test("keeps keys in the order written, a repeated one at its first place with its last value", () => {
    const read = readExactJson('{"b": "1", "2": "2", "1": "3", "b": "4"}') as ReadonlyMap<string, unknown>;
    expect([...read]).toEqual([
      ["b", "4"],
      ["2", "2"],
      ["1", "3"],
    ]);
  });

  test.each([
    ["100.0", "100.0"],
    ["100", "100"],
    ["-0", "0"],
    ["-0.0", "-0.0"],
    ["12345678901234567890123", "12345678901234567890123"],
    ["1.50", "1.5"],
    ["1e3", "1000.0"],
    ["1E16", "1e+16"],
    ["123456789012345680.5", "1.2345678901234568e+17"],
    ["0.0001", "0.0001"],
    ["0.00001234", "1.234e-05"],
    ["1e400", "inf"],
    ["true", "True"],
    ["false", "False"],
    ["null", "None"],
  ])("spells %s as %s", (text, spelling) => {
    expect(spelled(text)).toBe(spelling);
  });

  test.each(["", "{", '{"a" 1}', '{"a": 1,}', "[1 2]", "[1", '"a\nb"', "01", "1.", "tru", "{} {}", "'a'"])(
    "%j is none",
    (text) => {
      expect(readExactJson(text)).toBeUndefined();
    },
  );

  test("a document nested too deep to be read is none, and does not overflow the stack", () => {
    expect(readExactJson(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)).toBeUndefined();
  });

  test("unescapes strings", () => {
    expect(readExactJson('"a\\n\\u00e9\\ud83d\\ude00"')).toBe("a\né😀");
  });
});
