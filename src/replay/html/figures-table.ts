import type { Estimate } from "../bootstrap.ts";
import type { PolicyResult } from "../policy-result.ts";
import { type Look, legendMark } from "./marker.ts";
import { html, type Markup } from "./markup.ts";
import { interval, share, signed, tokenText } from "./number-text.ts";

/** Every figure of every policy at one window, with intervals. */
export function figuresTable(results: readonly PolicyResult[], lookFor: (policy: string) => Look): Markup {
  const reference = results.find(({ difference }) => difference !== null)?.difference?.to ?? "";
  return html`<div class="wide"><table class="figures"><thead><tr><th scope="col">policy</th><th scope="col">line recall</th><th scope="col">value</th><th scope="col">far</th><th scope="col">grounded</th><th scope="col">cost</th><th scope="col">regret</th><th scope="col">edits that<br>lost the cache</th><th scope="col">payback</th><th scope="col">prefix hits</th><th scope="col">tokens sent</th><th scope="col">filled / W</th><th scope="col">peak / W</th>${reference === "" ? null : html`<th scope="col">line against<br>${reference}</th><th scope="col">same<br>contexts</th>`}</tr></thead>
<tbody>${results.map(
    (
      result,
    ) => html`<tr><th scope="row">${legendMark(lookFor(result.policy))}${result.policy}${variants(result)}</th>${[
      result.line,
      result.value,
      result.far,
      result.grounded,
      result.cost,
      result.regret_share,
    ].map(
      (estimate) => html`<td>${withInterval(estimate)}</td>`,
    )}<td>${result.payback.breaks}</td><td>${share(result.payback.ratio)}</td><td>${share(result.prefix_hit_share)}</td><td>${tokenText(result.tokens_sent)}</td><td>${share(result.filled?.mean)}</td><td>${share(result.peak)}</td>${reference === "" ? null : html`<td>${difference(result)}</td><td>${sameContexts(result)}</td>`}</tr>
`,
  )}</tbody></table></div>`;
}

function withInterval(estimate: Estimate | null): Markup {
  return html`${share(estimate?.mean)}<small>${interval(estimate)}</small>`;
}

function difference({ difference }: PolicyResult): Markup | string {
  const line = difference?.line ?? null;
  return line === null ? "" : html`${signed(line.mean)}<small>[${signed(line.low)}, ${signed(line.high)}]</small>`;
}

/** Share of the turns behind the first edit in which both policies sent the same context. */
function sameContexts({ difference }: PolicyResult): string {
  if (difference === null || difference.compared_turns === 0) return "";
  return share(difference.same_turns / difference.compared_turns);
}

/** Which of several was the best, and how often. */
function variants({ variants }: PolicyResult): Markup | null {
  if (variants === null) return null;
  const counts = Object.entries(variants).map(([name, runs]) => `${name} ${runs}`);
  return html`<small>${counts.join(", ")}</small>`;
}
