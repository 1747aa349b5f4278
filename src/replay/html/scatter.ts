import type { Estimate } from "../bootstrap.ts";
import type { PolicyResult } from "../policy-result.ts";
import { placeLabels } from "./label-places.ts";
import { type Look, marker } from "./marker.ts";
import { html, type Markup } from "./markup.ts";
import { interval, share } from "./number-text.ts";
import { type Scale, scale, ticks } from "./scale.ts";

const WIDTH = 560;
const HEIGHT = 400;
const MARGIN = { left: 46, right: 14, top: 26, bottom: 40 };
const CHARACTER_WIDTH = 6.6;

interface Point {
  readonly result: PolicyResult;
  readonly look: Look;
  readonly line: Estimate;
  readonly cost: Estimate;
}

/** Line recall against cost, one point a policy with the intervals of both: up and to the left is better. */
export function scatter(results: readonly PolicyResult[], lookFor: (policy: string) => Look): Markup {
  const points = results.flatMap((result): Point[] => {
    const { line, cost } = result;
    return line === null || cost === null ? [] : [{ result, look: lookFor(result.policy), line, cost }];
  });
  const worst = Math.min(1, ...points.map(({ line }) => line.low));
  const recalls = [Math.max(0, Math.floor((worst - 0.02) * 20) / 20), 1] as const;
  const costs = [0, Math.max(1.05, ...points.map(({ cost }) => cost.high * 1.06))] as const;
  const x = scale(costs, [MARGIN.left, WIDTH - MARGIN.right]);
  const y = scale(recalls, [HEIGHT - MARGIN.bottom, MARGIN.top + 4]);
  const places = placeLabels(
    points.map(({ result, line, cost }) => ({
      x: x(cost.mean),
      y: y(line.mean),
      width: result.policy.length * CHARACTER_WIDTH,
    })),
    { width: WIDTH, height: HEIGHT - MARGIN.bottom },
  );
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Line recall against cost, one point a policy">
${axes(x, y, costs, recalls)}
${points.map(({ line, cost, look }) => whiskers(x, y, { line, cost, look }))}
${points.map(({ result, line, cost, look }, index) => {
  const place = places[index];
  const [px, py] = [x(cost.mean), y(line.mean)];
  const name =
    place && html`<text class="name" x="${place.x.toFixed(1)}" y="${place.y.toFixed(1)}">${result.policy}</text>`;
  const lead =
    place?.leads === true
      ? html`<line class="lead" x1="${px.toFixed(1)}" y1="${py.toFixed(1)}" x2="${(place.x < px ? place.x + result.policy.length * CHARACTER_WIDTH : place.x - 2).toFixed(1)}" y2="${(place.y - 4).toFixed(1)}"/>`
      : null;
  return html`<g>${lead}${marker(look, px, py)}${name ?? null}<title>${result.policy}: line recall ${share(line.mean)} ${interval(line)}, cost ${share(cost.mean)} ${interval(cost)}</title></g>`;
})}
</svg>`;
}

function axes(x: Scale, y: Scale, costs: readonly [number, number], recalls: readonly [number, number]): Markup {
  const [left, right, bottom] = [MARGIN.left, WIDTH - MARGIN.right, HEIGHT - MARGIN.bottom];
  return html`<g class="axis">
${ticks(recalls, 6).map((tick) => html`<line class="grid" x1="${left}" x2="${right}" y1="${y(tick).toFixed(1)}" y2="${y(tick).toFixed(1)}"/><text class="end" x="${left - 7}" y="${(y(tick) + 4).toFixed(1)}">${tick.toFixed(2)}</text>`)}
${ticks(costs, 6).map((tick) => html`<line class="${tick === 1 ? "grid unmanaged" : "grid"}" x1="${x(tick).toFixed(1)}" x2="${x(tick).toFixed(1)}" y1="${MARGIN.top}" y2="${bottom}"/><text class="middle" x="${x(tick).toFixed(1)}" y="${bottom + 17}">${tick}</text>`)}
<text class="middle title" x="${(left + right) / 2}" y="${HEIGHT - 6}">cost (1 = no management)</text>
<text class="title" x="${left - 40}" y="${MARGIN.top - 12}">line recall</text>
</g>`;
}

function whiskers(x: Scale, y: Scale, { line, cost, look }: Omit<Point, "result">): Markup {
  const [px, py] = [x(cost.mean).toFixed(1), y(line.mean).toFixed(1)];
  return html`<g class="whisker ${look.colour}"><line x1="${px}" x2="${px}" y1="${y(line.low).toFixed(1)}" y2="${y(line.high).toFixed(1)}"/><line x1="${x(cost.low).toFixed(1)}" x2="${x(cost.high).toFixed(1)}" y1="${py}" y2="${py}"/></g>`;
}
