import fc from "fast-check";
import { expect, test } from "vitest";
import { LABEL_HEIGHT, placeLabels } from "../../../src/replay/html/label-places.ts";

const frame = { width: 560, height: 360 };
const label = fc.record({
  x: fc.integer({ min: 50, max: 540 }),
  y: fc.integer({ min: 20, max: 340 }),
  width: fc.integer({ min: 20, max: 110 }),
});

test("names of points stand inside the frame, none on another and none on a point", () => {
  fc.assert(
    fc.property(fc.array(label, { maxLength: 12 }), (labels) => {
      const boxes = placeLabels(labels, frame).map(({ x, y }, index) => ({
        left: x,
        right: x + (labels[index]?.width ?? 0),
        top: y - LABEL_HEIGHT + 3,
        bottom: y + 3,
      }));
      for (const [index, box] of boxes.entries()) {
        expect(box.left).toBeGreaterThanOrEqual(0);
        expect(box.right).toBeLessThanOrEqual(frame.width);
        for (const other of boxes.slice(index + 1)) {
          const apart =
            box.right <= other.left || other.right <= box.left || box.bottom <= other.top || other.bottom <= box.top;
          expect(apart).toBe(true);
        }
        for (const { x, y } of labels) {
          expect(box.left < x && x < box.right && box.top < y && y < box.bottom).toBe(false);
        }
      }
    }),
  );
});
