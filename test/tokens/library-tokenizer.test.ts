import { expect, it } from "vitest";
import { tokenizers } from "../../src/tokens/registry.ts";

const library = tokenizers["js-tiktoken:o200k_base"]!();
const own = tokenizers["o200k_base"]!();

it("agrees with our own counter on ordinary text", () => {
  const text = "export function add(a: number, b: number) {\n  return a + b; // it's 3\n}\n".repeat(20);
  expect(library.count(text)).toBe(own.count(text));
});

it("counts a run that it cuts within 5 % of what it is", () => {
  for (const text of ["a".repeat(5000), `x ${"=".repeat(3001)} y`, "\u{1d400}".repeat(900)]) {
    const exact = own.count(text);
    expect(Math.abs(library.count(text) - exact)).toBeLessThanOrEqual(0.05 * exact + 3);
  }
});
