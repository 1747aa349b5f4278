import type { ImagePart } from "../model/part.ts";

/** For an image whose size or pricing is not known: about the most that one costs with either formula below. */
export const DEFAULT_IMAGE_TOKENS = 1600;

type ImageFormula = (width: number, height: number) => number;

/** OpenAI's price of an image in low detail, of any size; and what one in high detail costs beside its tiles. */
const OPENAI_BASE = 85;
const OPENAI_TILE = 170;

/**
 * OpenAI, gpt-4o class: the image is shrunk to fit 2048 x 2048, then to 768 on its shorter side, and costs
 * 85 + 170 for every 512 x 512 tile it touches. 1024 x 1024 is 765, 2048 x 4096 is 1105. Source: "Images and vision",
 * OpenAI's API guide. Later families price otherwise (patches, other constants); calibration learns the difference.
 */
function openaiTiles(width: number, height: number): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const shrink = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  // Rounded, since 768 / 1025 * 1025 must not touch a second tile by an error in the last bit.
  const tiles = (side: number) => Math.max(1, Math.ceil(Math.round(side * shrink) / 512));
  return OPENAI_BASE + OPENAI_TILE * tiles(width) * tiles(height);
}

/**
 * Anthropic: width * height / 750, after an image over 1568 pixels on a side, or over about 1600 tokens, was shrunk
 * to that. Source: "Vision", Anthropic's API guide.
 */
function anthropicArea(width: number, height: number): number {
  const shrink = Math.min(1, 1568 / Math.max(width, height));
  return Math.min(1600, Math.max(1, Math.ceil((width * shrink * height * shrink) / 750)));
}

const FORMULAS: ReadonlyMap<string, ImageFormula> = new Map([
  ["openai", openaiTiles],
  ["anthropic", anthropicArea],
]);

/**
 * Tokens of an image by its provider's published formula, or `DEFAULT_IMAGE_TOKENS` when the size is not known or the
 * provider has none here. `auto` detail counts as high: the dearer of the two.
 *
 * @param provider as in the model catalogue: `openai`, `anthropic`, …
 */
export function imageTokens(image: ImagePart, provider: string): number {
  if (provider === "openai" && image.detail === "low") return OPENAI_BASE;
  const formula = FORMULAS.get(provider);
  const { width, height } = image;
  if (formula === undefined || width === null || height === null || width <= 0 || height <= 0) {
    return DEFAULT_IMAGE_TOKENS;
  }
  return formula(width, height);
}
