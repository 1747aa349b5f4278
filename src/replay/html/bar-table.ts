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

const WIDTH = 120;

/** Bars in the cells of a table: a row for each policy, a column for each family or tool. */
export function barTable({ corner, columns, rows }: BarTable): Markup {
  return html`<div class="wide"><table class="bars"><thead><tr><th scope="col">${corner}</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({
      name,
      look,
      bars,
    }) => html`<tr><th scope="row">${legendMark(look)}${name}</th>${bars.map((bar) => html`<td>${cell(bar, look)}</td>`)}</tr>
`,
  )}</tbody></table></div>`;
}

function cell({ length, text }: Bar, look: Look): Markup {
  if (length === null) return html`<span class="faint">${text}</span>`;
  const width = Math.max(0, Math.min(1, length)) * WIDTH;
  return html`<svg class="bar" width="${WIDTH}" height="12" aria-hidden="true"><rect class="track" width="${WIDTH}" height="12" rx="2"/><rect class="${look.colour}" width="${width.toFixed(1)}" height="12" rx="2"/></svg><span>${text}</span>`;
}
