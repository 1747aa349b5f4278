import type { PanelBody, PlacedPanel, RowPanel } from "./grafana.ts";

/** Columns of Grafana's grid. */
const COLUMNS = 24;

/** A panel with a width of its own in its band. */
interface Sized {
  readonly panel: PanelBody;
  readonly width: number;
}

/** Panels side by side, all of one height. */
interface Band {
  readonly height: number;
  readonly panels: readonly (PanelBody | Sized)[];
}

/** A heading, and the bands under it; the first section of a dashboard may do without one. */
export interface Section {
  readonly title: string | null;
  readonly bands: readonly Band[];
}

export const band = (height: number, ...panels: readonly (PanelBody | Sized)[]): Band => ({ height, panels });
export const section = (title: string | null, ...bands: readonly Band[]): Section => ({ title, bands });
/** Gives a panel so many of the 24 columns; the panels without a width share what is left evenly. */
export const wide = (width: number, panel: PanelBody): Sized => ({ panel, width });

/**
 * Places sections from top to bottom and panels from left to right, so that nothing can overlap, and numbers them.
 *
 * @throws RangeError when the panels of a band do not fill the 24 columns in whole ones.
 */
export function place(sections: readonly Section[]): (PlacedPanel | RowPanel)[] {
  const placed: (PlacedPanel | RowPanel)[] = [];
  let y = 0;
  for (const { title, bands } of sections) {
    if (title !== null) {
      const gridPos = { x: 0, y, w: COLUMNS, h: 1 };
      placed.push({ id: placed.length + 1, type: "row", title, collapsed: false, gridPos, panels: [] });
      y += 1;
    }
    for (const { height, panels } of bands) {
      let x = 0;
      for (const { panel, width } of widths(panels)) {
        placed.push({ id: placed.length + 1, gridPos: { x, y, w: width, h: height }, ...panel });
        x += width;
      }
      y += height;
    }
  }
  return placed;
}

function widths(panels: Band["panels"]): readonly Sized[] {
  const given = panels.reduce((sum, panel) => sum + ("width" in panel ? panel.width : 0), 0);
  const rest = panels.filter((panel) => !("width" in panel)).length;
  const each = rest === 0 ? 0 : (COLUMNS - given) / rest;
  const sized = panels.map((panel) => ("width" in panel ? panel : { panel, width: each }));
  if (!sized.every(({ width }) => Number.isInteger(width) && width > 0) || given + each * rest !== COLUMNS) {
    const titles = sized.map(({ panel, width }) => `${panel.title} (${width})`).join(", ");
    throw new RangeError(`these panels do not fill ${COLUMNS} columns: ${titles}`);
  }
  return sized;
}
