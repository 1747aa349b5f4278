import { type Look, legendMark } from "./marker.ts";
import { html, type Markup } from "./markup.ts";

/** A cell of a bar table: 0 to 1 of the column's width, null: nothing to show. */
export interface Bar {
  readonly length: number | null;
  readonly text: string;
}

export interface BarTable {
  readonly corner: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly name: string; readonly look: Look; readonly bars: readonly Bar[] }[];
}

/** Pixels that all bars of a row have, and those that one of them has at most and at least. */
const ROW_WIDTH = 250;
const WIDEST = 120;
const NARROWEST = 40;

/** Bars in the cells of a table: a row for each policy, a column for each family or tool. */
export function barTable({ corner, columns, rows }: BarTable): Markup {
  const width = Math.max(NARROWEST, Math.min(WIDEST, Math.floor(ROW_WIDTH / Math.max(1, columns.length))));
  return html`<div class="wide"><table class="bars"><thead><tr><th scope="col">${corner}</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({
      name,
      look,
      bars,
    }) => html`<tr><th scope="row">${legendMark(look)}${name}</th>${bars.map((bar) => html`<td>${cell(bar, look, width)}</td>`)}</tr>
`,
  )}</tbody></table></div>`;
}

function cell({ length, text }: Bar, look: Look, width: number): Markup {
  if (length === null) return html`<span class="faint">${text}</span>`;
  const filled = Math.max(0, Math.min(1, length)) * width;
  return html`<svg class="bar" width="${width}" height="12" aria-hidden="true"><rect class="track" width="${width}" height="12" rx="2"/><rect class="${look.colour}" width="${filled.toFixed(1)}" height="12" rx="2"/></svg><span>${text}</span>`;
}
