import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { displayedText } from "../../../src/telemetry/grafana-live/displayed-text.ts";
import { encodePoint, type Point } from "../../../src/telemetry/grafana-live/line-protocol.ts";
import { Influxd } from "../../support/influxd.ts";

let influxd: Influxd | null = null;
beforeAll(async () => {
  influxd = await Influxd.start();
});
afterAll(async () => {
  await influxd?.[Symbol.asyncDispose]();
});

let measured = 0;

/** Has InfluxDB read the point, under a measurement of its own, and give it back. */
async function readBack(point: Point): Promise<void> {
  if (influxd === null) return;
  const measurement = `${point.measurement}${measured++}`;
  await influxd.write([encodePoint({ ...point, measurement })]);
  const expected = { time: point.at, ...point.tags, ...point.fields };
  expect(await influxd.read(measurement)).toEqual([expected]);
}

const point = (over: Partial<Point>): Point => ({
  measurement: "m",
  fields: { value: 1 },
  at: 1_763_733_731_000,
  ...over,
});

/** Any text that a name or a tag's value may be; line protocol has no way to write the rest. */
const name = fc.string({
  unit: fc.constantFrom("a", "b", ",", "=", " ", "'", "ü", "🚀", "\t", "#", "/", "漢"),
  minLength: 1,
  maxLength: 12,
});
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).map((value) => value.replaceAll("\0", "")),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\r", ",", "=", " ", "x", "#"), maxLength: 12 }),
);
const figure = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);

describe("encodePoint", () => {
  it("writes floats, strings and nanoseconds as the format wants them", () => {
    const line = encodePoint({
      measurement: "zone event",
      tags: { "a,b": "c=d e" },
      fields: { n: 5, s: 'say "hi" \\ there', f: 1e21 },
      at: 1_763_733_731_123,
    });
    expect(line).toBe('zone\\ event,a\\,b=c\\=d\\ e n=5,s="say \\"hi\\" \\\\ there",f=1e+21 1763733731123000000');
  });

  it.each([
    ["an empty measurement", point({ measurement: "" })],
    ["a comment for a measurement", point({ measurement: "#m" })],
    ["a line break in a measurement", point({ measurement: "a\nb" })],
    ["a backslash in a tag", point({ tags: { a: "b\\ c" } })],
    ["an empty tag", point({ tags: { a: "" } })],
    ["no field", point({ fields: {} })],
    ["a quote in a key", point({ fields: { 'a"': 1 } })],
    ["NaN", point({ fields: { a: Number.NaN } })],
    ["infinity", point({ fields: { a: Number.POSITIVE_INFINITY } })],
    ["a time within a millisecond", point({ at: 1.5 })],
    ["a time before the epoch", point({ at: -1 })],
    ["a time that does not fit", point({ at: 9_223_372_036_855 })],
  ])("refuses %s", (_what, refused) => {
    expect(() => encodePoint(refused)).toThrow(RangeError);
  });

  it.each([0, -0, 5e-324, -5e-324, 1.7976931348623157e308, 1e21, 1e-7, 0.1, 2 ** 53, -1])(
    "gives InfluxDB the float %f, and the same comes back",
    async (value) => {
      await readBack(point({ fields: { value: value + 0 } }));
    },
  );

  it.each([0, 1, 1_763_733_731_123, 4_102_444_800_000])(
    "gives InfluxDB the time %i ms, and the same comes back",
    async (at) => {
      await readBack(point({ at }));
    },
  );

  it("is read by InfluxDB as what was meant, for any names, texts, figures and times", async () => {
    const points = fc.record({
      measurement: fc.constantFrom("m", "a b", "a,b", "ü"),
      tags: fc.dictionary(
        name.map((key) => `t${key}`),
        name,
        { maxKeys: 3 },
      ),
      fields: fc.dictionary(
        name.map((key) => `f${key}`),
        fc.oneof(text, figure),
        { minKeys: 1, maxKeys: 5 },
      ),
      at: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    });
    await fc.assert(fc.asyncProperty(points, readBack), { numRuns: 300 });
  });
});

describe("displayedText", () => {
  it("bounds, and leaves no character that breaks or hides a line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (given) => {
        const shown = displayedText(given);
        expect([...shown].length).toBeLessThanOrEqual(80);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(displayedText(shown)).toBe(shown);
      }),
    );
  });

  it("is no text that Grafana takes for a missing number", () => {
    expect(displayedText("NaN")).toBe("'NaN'");
  });

  it("leaves a usual id as it is", () => {
    expect(displayedText("run-42/child_1")).toBe("run-42/child_1");
  });
});
