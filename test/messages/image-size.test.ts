import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageSizeOfBase64, imageSizeOfUrl, splitDataUrl } from "../../src/messages/image-size.ts";
import { pngHeader } from "../support/message-arbitraries.ts";

function gif(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.write("GIF89a", 0, "latin1");
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  return head;
}

function webp(chunk: string, write: (head: Buffer) => void): Buffer {
  const head = Buffer.alloc(40);
  head.write("RIFF", 0, "latin1");
  head.write("WEBP", 8, "latin1");
  head.write(chunk, 12, "latin1");
  write(head);
  return head;
}

/** A JPEG whose frame header stands behind segments of the given lengths. */
function jpeg(width: number, height: number, segments: readonly number[], marker = 0xc0): Buffer {
  const frame = Buffer.from([0xff, marker, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3]);
  const before = segments.map((length) => {
    const segment = Buffer.alloc(length + 2, 0xaa);
    segment.set([0xff, 0xe1, length >> 8, length & 255]);
    return segment;
  });
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...before, frame, Buffer.alloc(40)]);
}

describe("image sizes", () => {
  const cases: readonly [string, string][] = [
    ["a PNG", pngHeader(1024, 768)],
    ["a GIF", gif(1024, 768).toString("base64")],
    ["a JPEG", jpeg(1024, 768, []).toString("base64")],
    ["a progressive JPEG behind large segments", jpeg(1024, 768, [65_535, 65_535, 7, 2], 0xc2).toString("base64")],
    [
      "a lossy WebP",
      webp("VP8 ", (head) => {
        head.writeUInt16LE(1024, 26);
        head.writeUInt16LE(768, 28);
      }).toString("base64"),
    ],
    ["a lossless WebP", webp("VP8L", (head) => head.writeUInt32LE((1023 | (767 << 14)) >>> 0, 21)).toString("base64")],
    [
      "an extended WebP",
      webp("VP8X", (head) => {
        head.writeUIntLE(1023, 24, 3);
        head.writeUIntLE(767, 27, 3);
      }).toString("base64"),
    ],
  ];

  it.each(cases)("are read from the header of %s", (_kind, base64) => {
    expect(imageSizeOfBase64(base64)).toEqual({ width: 1024, height: 768 });
    expect(imageSizeOfUrl(`data:image/png;base64,${base64}`)).toEqual({ width: 1024, height: 768 });
  });

  it("are not known for other URLs, other formats and empty images", () => {
    expect(imageSizeOfUrl("https://images.example/a.png")).toBeNull();
    expect(imageSizeOfUrl("data:image/svg+xml,<svg/>")).toBeNull();
    expect(imageSizeOfBase64(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>").toString("base64"))).toBeNull();
    expect(imageSizeOfBase64(pngHeader(0, 7))).toBeNull();
    expect(imageSizeOfBase64("")).toBeNull();
  });

  it("never fail on damaged bytes, however they begin", () => {
    const starts = [pngHeader(3, 2), ...cases.map(([, base64]) => base64)].map((base64) =>
      Buffer.from(base64, "base64"),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...starts),
        fc.nat({ max: 60 }),
        fc.uint8Array({ maxLength: 40 }),
        (start, keep, rest) => {
          const size = imageSizeOfBase64(Buffer.concat([start.subarray(0, keep), rest]).toString("base64"));
          if (size !== null) expect(size.width * size.height).toBeGreaterThan(0);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("give up on a JPEG of endless segments", () => {
    const endless = Buffer.alloc(4096);
    for (let at = 0; at < endless.length; at += 4) endless.set([0xff, 0xe0, 0, 2], at);
    endless.set([0xff, 0xd8], 0);
    expect(imageSizeOfBase64(endless.toString("base64"))).toBeNull();
  });

  it("tell a data URL's media type", () => {
    expect(splitDataUrl("DATA:image/jpeg;name=a;base64,AAAA")).toEqual({ mediaType: "image/jpeg", base64: "AAAA" });
  });
});
