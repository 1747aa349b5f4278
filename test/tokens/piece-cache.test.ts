import { expect, it } from "vitest";
import { PieceCache } from "../../src/tokens/piece-cache.ts";
import { hashBytes } from "../../src/tokens/rank-table.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function put(cache: PieceCache, text: string, tokens: number): void {
  const bytes = bytesOf(text);
  cache.set(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length), tokens);
}

function get(cache: PieceCache, text: string): number {
  const bytes = bytesOf(text);
  return cache.get(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
}

it("gives back what was put in, and 0 for what was not", () => {
  const cache = new PieceCache();
  put(cache, "hello", 1);
  put(cache, "x".repeat(64), 64);
  expect(get(cache, "hello")).toBe(1);
  expect(get(cache, "x".repeat(64))).toBe(64);
  expect(get(cache, "hell")).toBe(0);
});

it("tells apart pieces of the same hash", () => {
  const cache = new PieceCache();
  const one = bytesOf("one");
  const two = bytesOf("two");
  cache.set(one, 0, 3, 42, 1);
  cache.set(two, 0, 3, 42, 2);
  expect(cache.get(one, 0, 3, 42)).toBe(1);
  expect(cache.get(two, 0, 3, 42)).toBe(2);
});

it("stays bounded under an endless stream of new pieces, and keeps what came last", () => {
  const cache = new PieceCache();
  for (let i = 0; i < 400_000; i++) {
    put(cache, `piece-${i}`, 1 + (i % 60));
    if (i % 1000 === 0) expect(cache.size).toBeLessThanOrEqual(1 << 17);
  }
  expect(get(cache, "piece-399999")).toBe(1 + (399_999 % 60));
});
