/** A small seeded generator (mulberry32): the same seed gives the same texts on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;

const below = (random: Random, limit: number) => Math.floor(random() * limit);
const pick = <T>(random: Random, from: readonly T[]): T => from[below(random, from.length)] as T;

const WORDS =
  "the function return const Error undefined getElementById HTTPServer XMLHttpRequest snake_case_name kebab-case camelCase PascalCase __init__ self.assertEqual TODO null true 0x1F3a utf-8 node_modules Supercalifragilistic I'm you're WE'LL they've don'T it's".split(
    " ",
  );
const PUNCTUATION = [..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"];
const SPECIALS = ["<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<|im_start|>", "<|", "|>"];
const CONTRACTIONS = [
  "'s",
  "'S",
  "'ll",
  "'LL",
  "'Ll",
  "'ve",
  "'RE",
  "'d",
  "'M",
  "'t",
  "'\u017f",
  "'\u212a",
  "'l",
  "'r",
  "''s",
  "\u2019s",
];
const SPACES = [
  " ",
  "  ",
  "    ",
  "\t",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  "\n  ",
  " \n",
  "\u00a0",
  "\u3000",
  "\u2028",
  "\u0085",
  "\ufeff",
  "\v",
  "\f",
  "\u1680",
  "\u200b",
];
/** Ranges of assigned characters that differ in case, class or width. */
const RANGES: readonly (readonly [number, number])[] = [
  [0xa1, 0x24f],
  [0x1c4, 0x1cc],
  [0x250, 0x2ff],
  [0x300, 0x36f],
  [0x391, 0x3a1],
  [0x3b1, 0x3c9],
  [0x400, 0x4ff],
  [0x5d0, 0x5ea],
  [0x620, 0x65f],
  [0x660, 0x669],
  [0x900, 0x939],
  [0x93a, 0x94f],
  [0xe01, 0xe3a],
  [0x1f88, 0x1faf],
  [0x2010, 0x2027],
  [0x2070, 0x2071],
  [0x2150, 0x2188],
  [0x2190, 0x21ff],
  [0x2460, 0x249b],
  [0x3041, 0x3096],
  [0x30a1, 0x30fe],
  [0x4e00, 0x5fff],
  [0xac00, 0xb000],
  [0xff01, 0xff5e],
  [0x1d400, 0x1d454],
  [0x1f300, 0x1f5ff],
  [0x1f600, 0x1f64f],
  [0x1f1e6, 0x1f1ff],
];

function unicode(random: Random): string {
  const [first, last] = pick(random, RANGES);
  let text = "";
  for (let length = 1 + below(random, 6); length > 0; length--) {
    text += String.fromCodePoint(first + below(random, last - first + 1));
  }
  return text;
}

const PIECES: readonly ((random: Random) => string)[] = [
  (random) => pick(random, WORDS),
  (random) => ` ${pick(random, WORDS)}`,
  (random) => pick(random, PUNCTUATION).repeat(1 + below(random, 4)),
  (random) => pick(random, PUNCTUATION) + pick(random, PUNCTUATION),
  (random) => pick(random, SPACES).repeat(1 + below(random, 4)),
  (random) => pick(random, SPACES),
  (random) => String(below(random, 10 ** (1 + below(random, 9)))),
  (random) => pick(random, CONTRACTIONS),
  unicode,
  unicode,
  (random) =>
    pick(random, [
      "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
      "\u{1f44d}\u{1f3fd}",
      "e\u0301",
      "\u{1f1e9}\u{1f1ea}",
      "\ufe0f",
    ]),
  (random) => String.fromCharCode(0xd800 + below(random, 0x800)),
  (random) => pick(random, SPECIALS),
  (random) => JSON.stringify({ [pick(random, WORDS)]: below(random, 1e6), s: unicode(random) }, null, below(random, 3)),
  (random) => pick(random, [..."abcXYZ019 =-#\n\u4e2d\u00e9"]).repeat(1 + below(random, 200)),
  (random) => String.fromCharCode(below(random, 128)),
  (random) => pick(random, ["//", "/\n/", ";\r\n/", "*/\n\n", "\n/"]),
];

/** A text of up to about twenty pieces: code, JSON, prose, scripts, emoji, runs, line ends, lone surrogates. */
export function fuzzText(random: Random): string {
  let text = "";
  for (let pieces = 1 + below(random, 20); pieces > 0; pieces--) text += pick(random, PIECES)(random);
  return text;
}
