/** What stands where a secret stood. */
const MASK = "[masked]";

/** No text without one of these holds a secret of a known shape: saves the walk over most texts. */
const SIGNS =
  /-----BEGIN|eyJ|:\/\/[^\s/@]*:|\b(?:AKIA|ASIA|ABIA|ACCA)|gh[pousr]_|github_pat_|xox[a-z]-|\bsk-|\b[rsp]k_(?:live|test)|AIza|ya29\.|glpat-|npm_|pypi-|\bhf_|\bSG\.|dop_v1_|\bshpat_|\bxai-|\bgsk_|bearer|basic|password|passwd|passphrase|pwd|secret|api[_-]?key|token|credential|private[_-]?key|access[_-]?key|account[_-]?key|auth/i;

/** Keys that are known by their shape alone. */
const SHAPES: readonly RegExp[] = [
  /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/g,
  /\bgithub_pat_\w{22,255}\b/g,
  /\bglpat-[\w-]{20,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\bsk-(?:[a-z]{2,10}-)*[A-Za-z0-9_-]{20,}/g,
  /\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\bAIza[\w-]{35}/g,
  /\bya29\.[\w-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bpypi-[\w-]{40,}/g,
  /\bhf_[A-Za-z0-9]{30,}\b/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\bdop_v1_[a-f0-9]{64}\b/g,
  /\bshpat_[a-fA-F0-9]{32}\b/g,
  /\b(?:xai|gsk)[-_][A-Za-z0-9]{30,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}/g,
];

/** A private key from its first to its last line, or to the end of a text that was cut inside it. */
const PRIVATE_KEY = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----[\s\S]*?(?:-----END \1-----|$)/g;

/** `scheme://user:password@host`. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@"'<>]{0,100}:)([^\s/@"'<>]{1,200})(?=@[\w[])/gi;

const AUTHORIZATION = /(\b(?:bearer|basic)\s{1,3})([A-Za-z0-9+/._~-]{12,}={0,2})/gi;

/** `password=…`, `"api_key": "…"`, `SECRET_TOKEN: …`; the value is judged by `isSecret`. */
const ASSIGNMENT = new RegExp(
  "(\\b[\\w-]{0,40}?(?:(pass(?:word|wd|phrase)|pwd)|secret(?:[_-]?(?:access[_-]?)?key)?|" +
    "(?:api|access|account|auth|private|encryption|signing|service|master)[_-]?key|token|credentials?|authorization)" +
    "[\"'`\\\\]{0,3}(\\s{0,3}(?:=>|[:=])\\s{0,3}))(\\\\?[\"'`])?([^\\s\"'`,;&<>\\\\)}\\]]{3,400})",
  "gi",
);

/** Values that are a placeholder, a type, a variable or a piece of code. */
const NO_VALUE =
  /^(?:none|null|nil|true|false|undefined|str(?:ing)?|bytes|int|bool(?:ean)?|any|object|optional|required|changeme|redacted|masked|hidden|example|placeholder|your[\w-]*|x{3,}|password|secret|token|self|this|env)(?!\w)|^[*•.…%[({|]|\$[{(A-Za-z_]|\w\(|\w\[|^(?:https?:|\.{0,2}\/|~\/)/i;

/** A name or a chain of names, as code has them. */
const NAMES = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;
const LETTERS = /^[A-Za-z_-]+$/;
const DIGITS = /^[\d.,]+$/;

/** Bits a character from which letters and digits look drawn at random. */
const LEAST_ENTROPY = 2.8;
/** Shorter values of tokens and keys are words or counters. */
const LEAST_KEY = 12;
const LEAST_PASSWORD = 4;

/**
 * A text with its secrets masked: keys of known shapes, private keys, JSON web tokens, passwords in URLs and
 * connection strings, bearer tokens, and values behind names such as `password` or `api_key`. Names stay, so that
 * one still reads that a secret stood there. Hashes, commit ids, paths and code stay: a value is masked only where
 * its shape or its name says what it is, and behind most names only if it is as random as a key.
 */
export function maskSecrets(text: string): string {
  if (!SIGNS.test(text)) return text;
  let masked = text.replace(PRIVATE_KEY, MASK);
  for (const shape of SHAPES) masked = masked.replace(shape, MASK);
  return masked
    .replace(URL_PASSWORD, (whole, before: string, value: string) =>
      NO_VALUE.test(value) ? whole : `${before}${MASK}`,
    )
    .replace(AUTHORIZATION, (whole, before: string, value: string) => (isRandom(value) ? `${before}${MASK}` : whole))
    .replace(ASSIGNMENT, maskedAssignment);
}

interface Assigned {
  readonly value: string;
  readonly isPassword: boolean;
  /** The mark before the value; empty when there is none. */
  readonly quote: string;
  /** What stands between name and value. */
  readonly sign: string;
  /** The character behind the value; empty at the end of the text. */
  readonly next: string;
}

function maskedAssignment(
  whole: string,
  before: string,
  password: string | undefined,
  sign: string,
  quote = "",
  value: string,
  at: number,
  text: string,
): string {
  const next = text.charAt(at + whole.length);
  return isSecret({ value, isPassword: password !== undefined, quote, sign, next })
    ? `${before}${quote}${MASK}`
    : whole;
}

function isSecret(assigned: Assigned): boolean {
  const { value, isPassword, quote, next } = assigned;
  if (NO_VALUE.test(value) || NAMES.test(value)) return false;
  // A quotation of several words is prose.
  if (quote !== "" && /\s/.test(next)) return false;
  if (!isPassword) return value.length >= LEAST_KEY && isRandom(value);
  if (value.length < LEAST_PASSWORD) return false;
  return quote !== "" || !LETTERS.test(value) || standsAlone(assigned);
}

/** A word behind `password=` is a password where an assignment in a shell or a connection string has it. */
function standsAlone({ sign, next }: Assigned): boolean {
  return sign === "=" && (next === "" || /[\s;&]/.test(next));
}

function isRandom(value: string): boolean {
  return !DIGITS.test(value) && !LETTERS.test(value) && entropyOf(value) >= LEAST_ENTROPY;
}

/** Shannon's entropy of the characters, bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
