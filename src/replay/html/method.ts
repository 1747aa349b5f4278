import type { ReplayReport } from "../report.ts";
import { html, type Markup } from "./markup.ts";

/** How the figures came about, in a paragraph. */
export function method({ count, model, prices, format }: ReplayReport): Markup {
  const { read, write } = prices ?? { read: 0.1, write: 1.25 };
  return html`<h2>Method</h2>
<p>Each run is replayed through each policy on a virtual clock, in a window of W tokens (${count}; messages ${format === "as recorded" ? format : `in the format ${format}`}). Before each assistant message the context that the policy would send is compared with what that message needs: the paths, names, ids, numbers and quotations that it writes and that stand in at most six earlier messages, the last of them before the step under way. <b>Line recall</b> is the share of these, rare ones counting more, that stand on a whole line of the run. <b>Value</b>: anywhere in the context. <b>Far</b>: line recall of what was last seen more than W/2 tokens ago. <b>Grounded</b>: line recall of what came from a tool or the user. <b>Cost</b>: ${read} for a token in the common prefix with the request before, ${write} for any other${model === null ? "" : ` (${model})`}, as a multiple of the run without any management. <b>Regret</b>: the share of the needs that is missed within ten turns after its value left the context. <b>Payback</b>: what edits that lost the provider's cache saved until the next such edit, over what rewriting cost. Figures are means over runs with 95 % intervals by bootstrap over tasks. The recorded agent saw everything, and mentioning a value is no proof of needing it.</p>`;
}
