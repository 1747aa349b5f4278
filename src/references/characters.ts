/** Bits that tell what a run of characters is made of, so that plain words are passed over without a look. */
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const UNDERSCORE = 8;
/** Joins words into paths, URLs, dotted names, flags, addresses: . / - : @ ~ + # % ? & = $ */
export const JOINER = 16;

/** Class of a character that belongs to no identifier. */
export const DELIMITER = 0;

const ASCII_CLASSES = new Uint8Array(128);
for (let code = 0x61; code <= 0x7a; code++) ASCII_CLASSES[code] = LOWER;
for (let code = 0x41; code <= 0x5a; code++) ASCII_CLASSES[code] = UPPER;
for (let code = 0x30; code <= 0x39; code++) ASCII_CLASSES[code] = DIGIT;
ASCII_CLASSES[0x5f] = UNDERSCORE;
for (const joiner of "./-:@~+#%?&=$") ASCII_CLASSES[joiner.charCodeAt(0)] = JOINER;

/**
 * The class of a UTF-16 unit. Letters of scripts that put blanks between words read as lower case; from U+2000 on
 * (punctuation, scripts without blanks, surrogates) everything delimits, so that an identifier in the middle of
 * such text stands by itself.
 */
export function classOf(unit: number): number {
  if (unit < 128) return ASCII_CLASSES[unit] as number;
  return unit >= 0xc0 && unit < 0x2000 && unit !== 0xd7 && unit !== 0xf7 ? LOWER : DELIMITER;
}
