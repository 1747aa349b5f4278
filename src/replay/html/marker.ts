import { html, type Markup } from "./markup.ts";

/** How a policy is drawn: a shape and a colour, so that neither is needed to tell it. */
export interface Look {
  /** Class of its colour: `s0` to `s9`. */
  readonly colour: string;
  readonly shape: Shape;
}

type Shape = (typeof SHAPES)[number];

const SHAPES = ["circle", "square", "up", "diamond", "down"] as const;
const COLOURS = 10;

/** Looks of the policies, by their place in the report: fifty differ. */
export function lookOf(index: number): Look {
  const round = Math.floor(index / COLOURS);
  return { colour: `s${index % COLOURS}`, shape: SHAPES[(index + round) % SHAPES.length] as Shape };
}

const RADIUS = 5;

export function marker({ colour, shape }: Look, x: number, y: number): Markup {
  const at = (dx: number, dy: number) => `${(x + dx * RADIUS).toFixed(1)},${(y + dy * RADIUS).toFixed(1)}`;
  const outlines: Readonly<Record<Exclude<Shape, "circle">, readonly string[]>> = {
    square: [at(-0.9, -0.9), at(0.9, -0.9), at(0.9, 0.9), at(-0.9, 0.9)],
    up: [at(0, -1.15), at(1.1, 0.85), at(-1.1, 0.85)],
    down: [at(0, 1.15), at(1.1, -0.85), at(-1.1, -0.85)],
    diamond: [at(0, -1.25), at(1.25, 0), at(0, 1.25), at(-1.25, 0)],
  };
  if (shape === "circle")
    return html`<circle class="mark ${colour}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${RADIUS}"/>`;
  return html`<polygon class="mark ${colour}" points="${outlines[shape].join(" ")}"/>`;
}

/** A marker by itself, beside a name in text. */
export function legendMark(look: Look): Markup {
  return html`<svg class="key" width="14" height="14" aria-hidden="true">${marker(look, 7, 7)}</svg>`;
}
