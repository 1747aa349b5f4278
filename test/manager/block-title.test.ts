import { describe, expect, it } from "vitest";
import { blockTitle } from "../../src/manager/block-title.ts";

const call = (name: string, args: unknown) => ({
  callId: "c1",
  name,
  argumentsText: typeof args === "string" ? args : JSON.stringify(args),
});

describe("blockTitle", () => {
  it("names a tool with the argument that says most", () => {
    expect(blockTitle("a long result", call("read_file", { limit: 4, path: "src/main.ts" }))).toBe(
      "read_file src/main.ts",
    );
    expect(blockTitle("", call("bash", { command: "cd /repo && npm test" }))).toBe("bash npm test");
  });

  it("names the tool alone where no argument is a plain value", () => {
    expect(blockTitle("", call("list", {}))).toBe("list");
    expect(blockTitle("", call("list", { deep: { a: 1 } }))).toBe("list");
    expect(blockTitle("", call("raw", "not json"))).toBe("raw not json");
  });

  it("takes the first words of a text, on one line, without controls and invisible marks", () => {
    expect(blockTitle("  Fix\n\tthe \u0000bug\u202e now\u200b ", null)).toBe("Fix the bug now");
    expect(blockTitle({ kind: "text", text: "", wire: "" }, null)).toBe("");
    expect(blockTitle({ kind: "thinking", text: "", wire: "" }, null)).toBe("thinking");
  });

  it("cuts to 120 characters without halving one, a path at its beginning", () => {
    const words = blockTitle(`x${"😀".repeat(200)}`, null);
    expect(words.length).toBeLessThanOrEqual(120);
    expect(/[\ud800-\udbff](?![\udc00-\udfff])/.test(words)).toBe(false);
    expect(words.endsWith("…")).toBe(true);
    const path = blockTitle("", call("n".repeat(300), { path: `${"deep/".repeat(80)}file.ts` }));
    expect(path.length).toBeLessThanOrEqual(120);
    expect(path.endsWith("file.ts")).toBe(true);
  });

  it("reads the head of a very long text only", () => {
    expect(blockTitle(`${" ".repeat(5000)}late`, null)).toBe("");
  });
});
