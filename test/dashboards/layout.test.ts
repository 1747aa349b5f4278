import { describe, expect, it } from "vitest";
import type { PanelBody } from "../../src/dashboards/grafana.ts";
import { band, place, section, wide } from "../../src/dashboards/layout.ts";

const panel = (title: string): PanelBody => ({
  type: "stat",
  title,
  description: "",
  pluginVersion: "",
  fieldConfig: { defaults: {}, overrides: [] },
  options: {},
});

describe("place", () => {
  it("shares a band's columns among its panels, after those of a width of their own", () => {
    const placed = place([section(null, band(4, wide(12, panel("a")), panel("b"), panel("c")))]);
    expect(placed.map(({ gridPos }) => gridPos)).toEqual([
      { x: 0, y: 0, w: 12, h: 4 },
      { x: 12, y: 0, w: 6, h: 4 },
      { x: 18, y: 0, w: 6, h: 4 },
    ]);
  });

  it("puts bands and headings under one another, and numbers them", () => {
    const placed = place([
      section("One", band(4, panel("a")), band(2, panel("b"))),
      section("Two", band(3, panel("c"))),
    ]);
    expect(placed.map(({ id, title, gridPos: { y, h } }) => [id, title, y, h])).toEqual([
      [1, "One", 0, 1],
      [2, "a", 1, 4],
      [3, "b", 5, 2],
      [4, "Two", 7, 1],
      [5, "c", 8, 3],
    ]);
  });

  it.each([
    { of: "seven panels", panels: Array.from({ length: 7 }, (_, at) => panel(`p${at}`)) },
    { of: "panels that are too wide", panels: [wide(20, panel("a")), wide(20, panel("b"))] },
    { of: "panels that leave a hole", panels: [wide(20, panel("a"))] },
    { of: "no room for the last", panels: [wide(24, panel("a")), panel("b")] },
  ])("refuses $of", ({ panels }) => {
    expect(() => place([section(null, band(4, ...panels))])).toThrow(/do not fill 24 columns/);
  });
});
