import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import { isWellFormed } from "../model/content-hash.ts";

/** A text as bytes. `encoding`: bit 0 set, UTF-16LE, else UTF-8; bit 1 set, deflated. */
export interface EncodedText {
  readonly encoding: number;
  /** Bytes before deflation: bounds what inflation may produce. */
  readonly plainBytes: number;
  readonly bytes: Uint8Array;
}

const WIDE = 1;
const DEFLATED = 2;

/** Below this many bytes deflation is not worth its time: 20 us and more, a sixth of a hook, to save half a page. */
const DEFLATE_FROM = 2048;
/** Deflated bytes are kept only when they save at least a tenth. */
const DEFLATE_AT_MOST = 0.9;
/** Higher levels take three times as long for 4 % fewer bytes. */
const LEVEL = 3;
/** From here deflation holds up the main thread three times as long (200 us) as handing it to another does. */
const ASIDE_FROM = 32 * 1024;

const deflateAside = promisify(deflateRaw);

/** Any text, exactly: lone surrogates, which UTF-8 cannot carry, make it UTF-16LE. */
function toBytes(text: string): { readonly plain: Buffer; readonly wide: number } {
  return isWellFormed(text)
    ? { plain: Buffer.from(text, "utf8"), wide: 0 }
    : { plain: Buffer.from(text, "utf16le"), wide: WIDE };
}

function choose(plain: Buffer, deflated: Buffer, wide: number): EncodedText {
  return deflated.length <= plain.length * DEFLATE_AT_MOST
    ? { encoding: wide | DEFLATED, plainBytes: plain.length, bytes: deflated }
    : { encoding: wide, plainBytes: plain.length, bytes: plain };
}

export function encodeText(text: string): EncodedText {
  const { plain, wide } = toBytes(text);
  if (plain.length < DEFLATE_FROM) return { encoding: wide, plainBytes: plain.length, bytes: plain };
  return choose(plain, deflateRawSync(plain, { level: LEVEL }), wide);
}

/** True when `encodeTextAside` should be used instead, which does not hold up the event loop. */
export function isLargeText(text: string): boolean {
  return text.length >= ASIDE_FROM;
}

export async function encodeTextAside(text: string): Promise<EncodedText> {
  const { plain, wide } = toBytes(text);
  return choose(plain, await deflateAside(plain, { level: LEVEL }), wide);
}

/** The inverse. Throws on bytes that no text encodes to. */
export function decodeText(encoded: EncodedText): string {
  const { encoding, plainBytes } = encoded;
  if ((encoding & ~(WIDE | DEFLATED)) !== 0) throw new Error(`unknown text encoding ${encoding}`);
  const stored = Buffer.from(encoded.bytes.buffer, encoded.bytes.byteOffset, encoded.bytes.byteLength);
  const deflated = (encoding & DEFLATED) !== 0;
  const plain = deflated ? inflateRawSync(stored, { maxOutputLength: Math.max(1, plainBytes) }) : stored;
  if (plain.length !== plainBytes) throw new Error(`text of ${plain.length} bytes where ${plainBytes} were stored`);
  return plain.toString((encoding & WIDE) === 0 ? "utf8" : "utf16le");
}
