/** A point of a curve. `isKept`: it must not be lost, such as the points before and after an edit. */
export interface CurvePoint {
  readonly value: number;
  readonly isKept: boolean;
}

/**
 * Places of the points that stand for a curve, in order: all that must be kept, the first and the last, and of the others
 * the lowest and the highest of each of as many equal stretches as there is room for. So no edit and no peak is drawn away.
 * More than `most` only where that many must be kept.
 */
export function downsample(points: readonly CurvePoint[], most: number): number[] {
  const places = points.map((_, at) => at);
  if (points.length <= most) return places;
  const isFixed = (at: number) => at === 0 || at === points.length - 1 || points[at]?.isKept === true;
  const free = places.filter((at) => !isFixed(at));
  const stretches = Math.min(free.length, Math.max(0, Math.floor((most - (points.length - free.length)) / 2)));
  const chosen = new Set(places.filter(isFixed));
  const valueAt = (at: number) => points[at]?.value ?? 0;
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * free.length) / stretches);
    const to = Math.floor(((stretch + 1) * free.length) / stretches);
    const own = free.slice(from, to);
    chosen.add(own.reduce((lowest, at) => (valueAt(at) < valueAt(lowest) ? at : lowest)));
    chosen.add(own.reduce((highest, at) => (valueAt(at) > valueAt(highest) ? at : highest)));
  }
  return places.filter((at) => chosen.has(at));
}
