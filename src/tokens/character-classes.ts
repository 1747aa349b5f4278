/**
 * Classes of Unicode code points as bits, so that a set of classes is one mask. They partition all code points along
 * the lines that the split patterns of o200k_base and cl100k_base draw.
 */
/** Lu, Lt. */
export const UPPER = 1;
/** Ll. */
export const LOWER = 2;
/** Lm, Lo: letters without case. */
export const CASELESS = 4;
/** M: combining marks. */
export const MARK = 8;
/** N. */
export const NUMBER = 16;
/** White_Space other than CR and LF. */
export const SPACE = 32;
/** CR, LF. */
export const NEWLINE = 64;
/** Everything else: punctuation, symbols, controls, unassigned. */
export const OTHER = 128;

export const LETTER = UPPER | LOWER | CASELESS;

const WIDTH_SHIFT = 8;

function classify(character: string): number {
  if (character === "\r" || character === "\n") return NEWLINE;
  // The property, not JavaScript's \s, which lacks U+0085 and has U+FEFF.
  if (/\p{White_Space}/u.test(character)) return SPACE;
  if (/[\p{Lu}\p{Lt}]/u.test(character)) return UPPER;
  if (/\p{Ll}/u.test(character)) return LOWER;
  if (/\p{L}/u.test(character)) return CASELESS;
  if (/\p{M}/u.test(character)) return MARK;
  if (/\p{N}/u.test(character)) return NUMBER;
  return OTHER;
}

/**
 * Tells the class of the character at a position of UTF-8 text. The bytes must be well formed, as an encoder writes
 * them. Classes beyond ASCII are worked out a block of 256 code points at a time, when one is first met, and kept:
 * at most 1.1 MB should a text hold every block there is.
 */
export class CharacterClasses {
  /** Classes of the 128 ASCII characters; their width is 1. */
  readonly ascii: Uint8Array;
  readonly #blocks: (Uint8Array | undefined)[] = new Array(0x1100);

  constructor() {
    this.ascii = Uint8Array.from({ length: 128 }, (_, code) => classify(String.fromCharCode(code)));
  }

  /** Class of the character that starts at `at`, and its width in bytes shifted left by 8. */
  at(bytes: Uint8Array, at: number): number {
    const lead = bytes[at]!;
    if (lead < 0x80) return (1 << WIDTH_SHIFT) | this.ascii[lead]!;
    if (lead < 0xe0) return (2 << WIDTH_SHIFT) | this.#of(((lead & 0x1f) << 6) | (bytes[at + 1]! & 0x3f));
    if (lead < 0xf0) {
      return (
        (3 << WIDTH_SHIFT) | this.#of(((lead & 0x0f) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f))
      );
    }
    const high = ((lead & 0x07) << 18) | ((bytes[at + 1]! & 0x3f) << 12);
    return (4 << WIDTH_SHIFT) | this.#of(high | ((bytes[at + 2]! & 0x3f) << 6) | (bytes[at + 3]! & 0x3f));
  }

  /** Where the run of characters of the `mask`ed classes that starts at `at` ends; `at` itself when it is empty. */
  runEnd(bytes: Uint8Array, at: number, end: number, mask: number): number {
    const ascii = this.ascii;
    let position = at;
    while (position < end) {
      const byte = bytes[position]!;
      if (byte < 0x80) {
        if ((ascii[byte]! & mask) === 0) break;
        position++;
      } else {
        const found = this.at(bytes, position);
        if ((found & mask) === 0) break;
        position += found >>> WIDTH_SHIFT;
      }
    }
    return position;
  }

  #of(codePoint: number): number {
    let block = this.#blocks[codePoint >>> 8];
    if (block === undefined) {
      const first = codePoint & ~0xff;
      block = Uint8Array.from({ length: 256 }, (_, offset) => classify(String.fromCodePoint(first + offset)));
      this.#blocks[codePoint >>> 8] = block;
    }
    return block[codePoint & 0xff]!;
  }
}

/** Width in bytes of the character that `CharacterClasses.at` told of. */
export function widthOf(found: number): number {
  return found >>> WIDTH_SHIFT;
}
