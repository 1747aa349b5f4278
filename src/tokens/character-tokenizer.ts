import type { Tokenizer } from "./tokenizer.ts";

const CHARACTERS_PER_TOKEN = 4;

/**
 * The fallback by rule of thumb: a token for every four UTF-16 units, rounded up. For models of which nothing better
 * is known and whose owner asks for it; every count with it is marked approximate.
 */
export class CharacterTokenizer implements Tokenizer {
  readonly name = "chars";

  count(text: string): number {
    return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  }
}
