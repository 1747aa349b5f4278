import { createHash, hash } from "node:crypto";

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
  if (isWellFormed(text)) return hash("sha256", text, "hex");
  return createHash("sha256").update(WIDE).update(text, "utf16le").digest("hex");
}
