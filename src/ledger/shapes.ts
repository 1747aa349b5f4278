/** Characters of a line that its shape is read from. */
const MOST_READ = 400;

const NUMBERED = String.raw`^\s*(?:\d+[:\s\t-]+)?`;

/**
 * What a line looks like, by name: the first features of the need model. The patterns are the recipe's; each is
 * anchored or a plain search, so that a line is read in linear time.
 */
export const SHAPES = {
  defn: new RegExp(
    String.raw`${NUMBERED}(?:[\w./-]+:\d+[:-]\s*)?(?:[+-]\s*)?(?:async def |def |class |function |func |fn |export |` +
      "interface |struct |type |impl |public |private |static |@)",
  ),
  imp: new RegExp(String.raw`${NUMBERED}(?:[+-]\s*)?(?:from [\w.]+ import|import [\w.]+|#include|require\(|use \w+::)`),
  err: /error|exception|fail|warning|not found|denied|invalid|cannot|undefined/i,
  tb: /^\s*(?:Traceback|File ".*", line \d+)|^\S+:\d+: (?:in )?|^E {2}/,
  asrt: /\bassert|assertEqual|expected|expect\(/i,
  head: /^\s*(?:#{1,6} |=+ .* =+$|\*\*[^*]+\*\*:?$|\d+\.\d+ )/,
  kv: /^\s*["']?[\w.[\] -]{1,60}["']?\s*(?::|=)\s*\S/,
  table: /^\s*\|.*\||\t.*\t/,
  diff: /^(?:@@|\+\+\+|---|diff --git|[+-](?![+-]))/,
  testn: /\btest_\w+|PASSED|FAILED|::/,
  pathonly: /^\s*(?:[-dlrwx]{10}.*\s)?[\w./~@+-]*[/.][\w./@+-]+\s*$/,
  grep: /^[\w./@+-]+[:-]\d+[:-]/,
  numd: /^\s*\d+[\t:]/,
  comment: /^\s*(?:\d+[\s\t:]+)?(?:#|\/\/|\*|"""|''')/,
  code: /[(){}[\]=;]/,
  bullet: /^\s*(?:[-*•]|\d+\.)\s/,
  call: /^\s*(?:cd |cat |grep |sed |ls|find |python|pytest|git |pip )/,
  ret: /^\s*(?:\d+[\s\t:]+)?(?:return|raise|if|elif|else|for|while|try|except|with)\b/,
  indent: /^(?:\s*\d+\t)?(?: {4}){2,}/,
} as const satisfies Readonly<Record<string, RegExp>>;

const PATTERNS = Object.values(SHAPES);

/** The bit of lines that report an error. */
export const ERROR_SHAPE = 1 << Object.keys(SHAPES).indexOf("err");

/** Bit set of the shapes that a line has, in the order of `SHAPES`. */
export function shapesOf(line: string): number {
  const head = line.slice(0, MOST_READ);
  let bits = 0;
  for (const [bit, pattern] of PATTERNS.entries()) if (pattern.test(head)) bits |= 1 << bit;
  return bits;
}
