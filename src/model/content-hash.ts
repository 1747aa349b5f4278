import { createHash } from "node:crypto";

/** False when the text holds a lone surrogate, which UTF-8 cannot carry. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** First byte of what is hashed for a text that is not well-formed: no UTF-8 text can begin with it. */
const WIDE = Uint8Array.of(0xff);

/**
 * The address of a content: SHA-256, 64 hex digits, of the text's UTF-8; of 0xFF and its UTF-16LE when it
 * holds lone surrogates. Plain UTF-8 would give two such texts one address, and so one the other's content.
 */
export function contentHash(text: string): string {
  const hash = createHash("sha256");
  if (isWellFormed(text)) hash.update(text, "utf8");
  else hash.update(WIDE).update(text, "utf16le");
  return hash.digest("hex");
}
