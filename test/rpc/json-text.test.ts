import { describe, expect, it } from "vitest";
import type { ContextdError } from "../../src/model/errors.ts";
import { nestsDeeperThan, parseJsonText } from "../../src/rpc/json-text.ts";

function failure(bytes: Uint8Array | string, maxDepth = 64): ContextdError {
  try {
    parseJsonText(bytes, maxDepth);
  } catch (error) {
    return error as ContextdError;
  }
  throw new Error("it was taken");
}

describe("the text of a message", () => {
  it("is read from bytes and from strings alike", () => {
    const value = { a: [1, "ü 漢 😀", "nul \u0000 inside"], b: null };
    const text = JSON.stringify(value);
    expect(parseJsonText(text, 64)).toEqual(value);
    expect(parseJsonText(Buffer.from(text), 64)).toEqual(value);
    expect(parseJsonText(new TextEncoder().encode(`  ${text}\n`), 64)).toEqual(value);
  });

  it("is read from a view into a larger buffer", () => {
    const whole = Buffer.from('xx{"a":1}yy');
    expect(parseJsonText(whole.subarray(2, 9), 64)).toEqual({ a: 1 });
  });

  it("must not begin with a byte order mark", () => {
    expect(failure(Buffer.from('\ufeff{"a":1}')).reason).toBe("parse_error");
    expect(failure('\ufeff{"a":1}').message).toContain("byte order mark");
  });

  it.each([
    ["a lone continuation byte", [0x22, 0x80, 0x22]],
    ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
    ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a cut-off sequence", [0x22, 0xe6, 0xbc]],
  ])("must be UTF-8: %s", (_name, bytes) => {
    const error = failure(Uint8Array.from(bytes));
    expect(error.reason).toBe("parse_error");
    expect(error.message).toBe("The text is not UTF-8.");
  });

  it("is not quoted when it is no JSON", () => {
    const error = failure('{"prompt":"canary-text" oops}');
    expect(error.reason).toBe("parse_error");
    expect(error.message).not.toContain("canary");
    expect(JSON.stringify(error.data)).not.toContain("canary");
  });

  it("that is empty is said to be empty", () => {
    expect(failure("").message).toContain("empty");
    expect(failure(" \n").message).toContain("empty");
  });

  it("keeps the last of duplicate keys, and __proto__ as an ordinary key", () => {
    expect(parseJsonText('{"a":1,"a":2}', 64)).toEqual({ a: 2 });
    const value = parseJsonText('{"__proto__":{"polluted":true}}', 64) as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("the depth of a message", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

  it("may reach the limit and not pass it", () => {
    expect(parseJsonText(nested(64), 64)).toBeInstanceOf(Array);
    const error = failure(nested(65));
    expect(error.reason).toBe("invalid_request");
    expect(error.data).toEqual({ max_depth: 64 });
  });

  it("counts objects and arrays, not brackets inside strings", () => {
    expect(nestsDeeperThan('{"a":[{"b":[]}]}', 4)).toBe(false);
    expect(nestsDeeperThan('{"a":[{"b":[]}]}', 3)).toBe(true);
    expect(nestsDeeperThan(JSON.stringify(`[[[[ \\" {{{{ \\\\" \\`), 0)).toBe(false);
    expect(nestsDeeperThan('"\\\\"[[', 1)).toBe(true);
    expect(nestsDeeperThan('"\\\\\\"[[', 1)).toBe(false);
  });

  it("comes down again after each level", () => {
    expect(nestsDeeperThan("[[]]".repeat(1000), 2)).toBe(false);
  });

  it("is found without recursion and before anything is built", () => {
    const before = performance.now();
    expect(failure("[".repeat(4_000_000)).reason).toBe("invalid_request");
    expect(failure('{"a":'.repeat(100_000)).reason).toBe("invalid_request");
    expect(performance.now() - before).toBeLessThan(1000);
  });

  it("costs linear time on quotes and backslashes", () => {
    const before = performance.now();
    nestsDeeperThan(`"${"\\".repeat(4_000_000)}`, 64);
    nestsDeeperThan(`"${'\\"'.repeat(2_000_000)}`, 64);
    nestsDeeperThan('"'.repeat(4_000_000), 64);
    expect(performance.now() - before).toBeLessThan(1500);
  });
});
