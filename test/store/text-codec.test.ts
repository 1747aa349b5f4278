import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, encodeText, encodeTextAside, isLargeText } from "../../src/store/text-codec.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 2000 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 600 }).map((units) => String.fromCharCode(...units)),
);

describe("a text as bytes", () => {
  it("comes back exactly, whatever it holds", () => {
    fc.assert(fc.property(anyText, (text) => decodeText(encodeText(text)) === text));
  });

  it("is the same bytes when it was encoded on another thread", async () => {
    for (const text of ["", "x".repeat(100_000), "\ud800".repeat(100_000)]) {
      expect(await encodeTextAside(text)).toEqual(encodeText(text));
    }
  });

  it("is UTF-8, unless a lone surrogate makes it UTF-16", () => {
    expect(encodeText("ü\0")).toEqual({ encoding: 0, plainBytes: 3, bytes: Buffer.from([0xc3, 0xbc, 0]) });
    expect(encodeText("\ud800")).toEqual({ encoding: 1, plainBytes: 2, bytes: Buffer.from([0x00, 0xd8]) });
  });

  it("is deflated from 2 KiB, if that saves a tenth", () => {
    const noise = Array.from({ length: 2000 }, (_, n) =>
      String.fromCharCode(33 + ((n * n * 7919 + n * 104729) % 6000)),
    ).join("");
    expect(encodeText("a".repeat(2047)).encoding).toBe(0);
    expect(encodeText("a".repeat(2048)).encoding).toBe(2);
    expect(encodeText("\ud800".repeat(1024)).encoding).toBe(3);
    const encoded = encodeText(noise);
    expect(encoded.bytes.length).toBeLessThanOrEqual(encoded.plainBytes);
  });

  it("is large from 32 Ki characters", () => {
    expect(isLargeText("x".repeat(32_767))).toBe(false);
    expect(isLargeText("x".repeat(32_768))).toBe(true);
  });

  it("is refused when no text encodes to the bytes", () => {
    const encoded = encodeText("b".repeat(5000));
    expect(() => decodeText({ ...encoded, encoding: 4 })).toThrow("unknown text encoding");
    expect(() => decodeText({ ...encoded, plainBytes: 4999 })).toThrow();
    expect(() => decodeText({ ...encoded, plainBytes: 5001 })).toThrow("text of 5000 bytes where 5001 were stored");
    expect(() => decodeText({ ...encoded, bytes: encoded.bytes.subarray(0, 5) })).toThrow();
  });
});
