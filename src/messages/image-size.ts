/** Pixels of an image. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** A JPEG may hold any number of application segments before its frame: look no further than this. */
const MAX_JPEG_SEGMENTS = 256;

/** Longest prefix of a data URL (`data:image/svg+xml;charset=utf-8;base64,`) that is looked at. */
const MAX_DATA_URL_HEADER = 200;

/**
 * Reads the size of a PNG, JPEG, GIF or WebP image from its header, decoding only the bytes it needs.
 * Returns null for any other format and for a damaged header: the size is then not known.
 */
export function imageSizeOfBase64(base64: string): ImageSize | null {
  const head = decode(base64, 0, 30);
  if (head.length < 10) return null;
  const size = pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(head, base64);
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

/** Size of the image in a `data:…;base64,` URL; null for any other URL. */
export function imageSizeOfUrl(url: string): ImageSize | null {
  const data = splitDataUrl(url);
  return data === null ? null : imageSizeOfBase64(data.base64);
}

/** Media type and payload of a `data:…;base64,` URL; null for any other URL. */
export function splitDataUrl(url: string): { readonly mediaType: string; readonly base64: string } | null {
  if (url.slice(0, 5).toLowerCase() !== "data:") return null;
  const header = url.slice(0, MAX_DATA_URL_HEADER);
  const comma = header.indexOf(",");
  if (comma < 0 || !header.slice(0, comma).toLowerCase().endsWith(";base64")) return null;
  const mediaType = header.slice(5, comma).split(";", 1)[0] ?? "";
  return { mediaType, base64: url.slice(comma + 1) };
}

/** `count` bytes from `offset` of base64 text: four characters hold three bytes. */
function decode(base64: string, offset: number, count: number): Buffer {
  const group = Math.floor(offset / 3);
  const skip = offset - group * 3;
  const characters = Math.ceil((skip + count) / 3) * 4;
  return Buffer.from(base64.slice(group * 4, group * 4 + characters), "base64").subarray(skip, skip + count);
}

function pngSize(head: Buffer): ImageSize | null {
  if (head.length < 24 || head.readUInt32BE(0) !== 0x89504e47 || head.readUInt32BE(4) !== 0x0d0a1a0a) return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function gifSize(head: Buffer): ImageSize | null {
  const signature = head.toString("latin1", 0, 6);
  if (signature !== "GIF87a" && signature !== "GIF89a") return null;
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

function webpSize(head: Buffer): ImageSize | null {
  if (head.length < 30 || head.toString("latin1", 0, 4) !== "RIFF" || head.toString("latin1", 8, 12) !== "WEBP") {
    return null;
  }
  switch (head.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

/** Walks the segments of a JPEG to its frame header (SOF), jumping over each by its stated length. */
function jpegSize(head: Buffer, base64: string): ImageSize | null {
  if (head.readUInt16BE(0) !== 0xffd8) return null;
  let offset = 2;
  for (let segment = 0; segment < MAX_JPEG_SEGMENTS; segment++) {
    const header = decode(base64, offset, 9);
    if (header.length < 4 || header[0] !== 0xff) return null;
    const marker = header[1] as number;
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    // SOF0 to SOF15, without DHT (C4), JPG (C8) and DAC (CC), which share the range.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return header.length < 9 ? null : { height: header.readUInt16BE(5), width: header.readUInt16BE(7) };
    }
    offset += 2 + header.readUInt16BE(2);
  }
  return null;
}
