/** Maps a range of values to a range of pixels, linearly. */
export type Scale = (value: number) => number;

export function scale([low, high]: readonly [number, number], [from, to]: readonly [number, number]): Scale {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** Round values of a range, about `count` of them, from the first inside it to the last. */
export function ticks([low, high]: readonly [number, number], count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}
