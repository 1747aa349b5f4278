import { describe, expect, it } from "vitest";

const load = (name: string) => import(new URL(`../../src/ui/static/${name}`, import.meta.url).href);
const { figuresOf } = await load("screens/session/lead/figures.js");

const FLOOR = 2;
const summary = { max_tokens: 8_192, zone: "green", turns_until_red: null, velocity_tokens_per_turn: null };

describe("the floor among a session's figures", () => {
  it("is what must stay in the context, and tells the room for the answer beside it", () => {
    const figures = figuresOf({ ...summary, floor_tokens: 2_398, reserve_tokens: 2_048 }, null);
    expect(figures[FLOOR]).toEqual(["4%", "", "350 tok must stay, 2.0k kept for output"]);
  });

  it("is told of a session that does not tell its reserve, and not where there is none", () => {
    expect(figuresOf({ ...summary, floor_tokens: 2_398 }, null)[FLOOR]).toEqual(["29%", "", "2.4k tok must stay"]);
    expect(figuresOf(summary, null)[FLOOR]).toEqual(["–", "", ""]);
  });
});
