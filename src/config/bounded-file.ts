import { closeSync, openSync, readSync } from "node:fs";

/**
 * The text of a file of at most `limit` bytes, as UTF-8. Throws what the system says, or a RangeError for a
 * larger file (an endless one included) and a TypeError for bytes that are no UTF-8.
 */
export function readBoundedFile(file: string, limit: number): string {
  const buffer = Buffer.allocUnsafe(limit + 1);
  const descriptor = openSync(file, "r");
  let length = 0;
  try {
    while (length < buffer.length) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (read === 0) break;
      length += read;
    }
  } finally {
    closeSync(descriptor);
  }
  if (length > limit) throw new RangeError(`the file is larger than ${limit} bytes`);
  return new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, length));
}

/** A secret is a line, not a document. */
const SECRET_BYTES = 64 << 10;

/** The secret that a file holds, without the line end behind it. Throws as `readBoundedFile`. */
export function readSecretFile(file: string): string {
  return readBoundedFile(file, SECRET_BYTES).replace(/\r?\n$/, "");
}

/** Why a file cannot be read, in words. */
export function whyUnreadable(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES" || code === "EPERM") return "reading it is not permitted";
  if (code === "EISDIR") return "it is a folder";
  if (error instanceof RangeError) return error.message;
  if (error instanceof TypeError) return "it is not UTF-8 text";
  return `reading it failed (${code ?? "unknown cause"})`;
}
