import { ZONES } from "../../model/zone.ts";
import type { WireRow } from "../report-rows.ts";
import { type Look, legendMark } from "./marker.ts";
import { html, type Markup } from "./markup.ts";
import { share, tokenText } from "./number-text.ts";
import { scale, ticks } from "./scale.ts";

const WIDTH = 560;
const HEIGHT = 190;
const MARGIN = { left: 46, right: 10, top: 8, bottom: 30 };

/** The size of a run's context at each request, over the zones of its session; edits that lost the cache are ticks. */
export function timeline(row: WireRow, look: Look): Markup {
  const { tokens, breaks, zones } = row.timeline;
  const most = Math.max(row.window_tokens * 1.12, ...tokens.map((own) => own * 1.04));
  const x = scale([0, Math.max(1, tokens.length - 1)], [MARGIN.left, WIDTH - MARGIN.right]);
  const bottom = HEIGHT - MARGIN.bottom;
  const y = scale([0, most], [bottom, MARGIN.top]);
  const begins = { green: 0, ...zones };
  const bands = ZONES.map((zone, index) => {
    const next = ZONES[index + 1];
    const top = y(Math.min(most, next === undefined ? most : begins[next]));
    const height = y(Math.min(most, begins[zone])) - top;
    return html`<rect class="zone ${zone}" x="${MARGIN.left}" width="${WIDTH - MARGIN.left - MARGIN.right}" y="${top.toFixed(1)}" height="${Math.max(0, height).toFixed(1)}"/>`;
  });
  const steps = tokens.map((own, turn) => `${x(turn).toFixed(1)},${y(own).toFixed(1)}`).join(" ");
  return html`<figure><figcaption>${legendMark(look)}<b>${row.policy}</b>${row.variant === null ? null : html` (${row.variant})`} <span class="id">${row.id}</span>
<span class="faint">line recall ${share(row.line)}, cost ${share(row.cost)}, ${row.payback.breaks} edits that lost the cache, payback ${share(row.payback.ratio)}</span></figcaption>
<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Tokens of the context at each request">
${bands}
<g class="axis">${ticks([0, most], 4).map((tick) => html`<text class="end" x="${MARGIN.left - 7}" y="${(y(tick) + 4).toFixed(1)}">${tokenText(tick)}</text>`)}
${ticks([0, tokens.length - 1], 8).map((tick) => html`<text class="middle" x="${x(tick).toFixed(1)}" y="${bottom + 21}">${tick + 1}</text>`)}</g>
<line class="window" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(row.window_tokens).toFixed(1)}" y2="${y(row.window_tokens).toFixed(1)}"/>
${breaks.map((turn) => html`<line class="break" x1="${x(turn).toFixed(1)}" x2="${x(turn).toFixed(1)}" y1="${bottom}" y2="${bottom + 7}"/>`)}
<polyline class="line ${look.colour}" points="${steps}"/>
</svg></figure>`;
}

/** For each policy the run that is asked for, or the one with the least line recall; at one window. */
export function shownRuns(rows: readonly WireRow[], window: string, run: string | null): WireRow[] {
  const own = rows.filter((row) => row.window === window && (run === null || row.id === run));
  const worst = new Map<string, WireRow>();
  for (const row of own) {
    const known = worst.get(row.policy);
    if (known === undefined || (row.line ?? 1) < (known.line ?? 1)) worst.set(row.policy, row);
  }
  return [...worst.values()];
}
