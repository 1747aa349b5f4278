import { describe, expect, it } from "vitest";
import type { ImagePart } from "../../src/model/part.ts";
import { DEFAULT_IMAGE_TOKENS, imageTokens } from "../../src/tokens/image-tokens.ts";

const image = (width: number | null, height: number | null, detail: ImagePart["detail"] = "auto"): ImagePart => ({
  kind: "image",
  width,
  height,
  detail,
  wire: null,
});

describe("OpenAI's tiles", () => {
  it.each([
    [1024, 1024, 765],
    [2048, 4096, 1105],
    [512, 512, 255],
    [1, 1, 255],
    [1025, 1025, 765],
    [10_000, 100, 765],
  ])("make %d x %d cost %d", (width, height, tokens) => {
    expect(imageTokens(image(width, height, "high"), "openai")).toBe(tokens);
    expect(imageTokens(image(width, height, "auto"), "openai")).toBe(tokens);
  });

  it("are not needed in low detail, whatever the size", () => {
    expect(imageTokens(image(4096, 4096, "low"), "openai")).toBe(85);
    expect(imageTokens(image(null, null, "low"), "openai")).toBe(85);
  });
});

describe("Anthropic's area", () => {
  it.each([
    [200, 200, 54],
    [1000, 1000, 1334],
    [1092, 1092, 1590],
    [8000, 8000, 1600],
    [3136, 300, 314],
    [1, 1, 1],
  ])("makes %d x %d cost %d", (width, height, tokens) => {
    expect(imageTokens(image(width, height), "anthropic")).toBe(tokens);
  });
});

it("costs the declared default where size or formula is not known", () => {
  expect(imageTokens(image(null, 100), "openai")).toBe(DEFAULT_IMAGE_TOKENS);
  expect(imageTokens(image(0, 100), "anthropic")).toBe(DEFAULT_IMAGE_TOKENS);
  expect(imageTokens(image(100, 100), "constructor")).toBe(DEFAULT_IMAGE_TOKENS);
});
