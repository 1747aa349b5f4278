/** A label that wants to stand beside a point. Pixels. */
export interface WantedLabel {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface PlacedLabel {
  /** Left end of its base line. */
  readonly x: number;
  readonly y: number;
  /** It stands so far off that a line must lead to it. */
  readonly leads: boolean;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const LABEL_HEIGHT = 14;
/** From a point's centre to a label beside it. */
const GAP = 9;
/** What a point itself takes, each way. */
const POINT = 6;
const RINGS = 14;

/**
 * Places labels beside their points so that none lies on another or on a point, and all inside the frame: right, left,
 * then farther up and down. One that finds no room stands where it would first.
 */
export function placeLabels(
  labels: readonly WantedLabel[],
  frame: { readonly width: number; readonly height: number },
): PlacedLabel[] {
  const taken: Box[] = labels.map(({ x, y }) => ({
    left: x - POINT,
    right: x + POINT,
    top: y - POINT,
    bottom: y + POINT,
  }));
  return labels.map((label) => {
    const own = candidates(label);
    const free = own.find((placed) => {
      const box = boxOf(placed, label.width);
      const inside = box.left >= 0 && box.right <= frame.width && box.top >= 0 && box.bottom <= frame.height;
      return inside && !taken.some((other) => overlap(box, other));
    });
    const placed = free ?? (own[0] as PlacedLabel);
    taken.push(boxOf(placed, label.width));
    return placed;
  });
}

function candidates({ x, y, width }: WantedLabel): PlacedLabel[] {
  const places: PlacedLabel[] = [];
  for (let ring = 0; ring <= RINGS; ring++) {
    for (const side of ring === 0 ? [0] : [-1, 1]) {
      const baseline = y + 4 + side * ring * LABEL_HEIGHT * 0.75;
      const leads = ring > 1;
      const gap = leads ? 2 * GAP : GAP;
      places.push({ x: x + gap, y: baseline, leads }, { x: x - gap - width, y: baseline, leads });
    }
  }
  return places;
}

function boxOf({ x, y }: PlacedLabel, width: number): Box {
  return { left: x, right: x + width, top: y - LABEL_HEIGHT + 3, bottom: y + 3 };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
