import { runbookOf } from "../../../app/runbooks.js";
import { el, icon } from "../../../draw/dom.js";
import { compact, count, percent, turns } from "../../../draw/format.js";

/** What happens at the next turn, in a sentence, and the alerts that fire. */
export class Next {
  #sentence = el("p");
  #alerts = el("ul.session-alerts");
  #shown = "";
  node = el("div.next", {}, this.#sentence, this.#alerts);

  /** `first`: the alert that the address names. */
  show(summary, first) {
    const words = nextWords(summary);
    const alerts = (summary.alerts ?? []).toSorted((a, b) => Number(b.alert === first) - Number(a.alert === first));
    const isOver = first !== null && !alerts.some(({ alert }) => alert === first);
    const key = JSON.stringify([words, alerts, first]);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#sentence.replaceChildren(el("b", {}, `${words[0]} `), words[1]);
    this.#alerts.replaceChildren(
      ...(isOver
        ? [el("li.over", {}, icon("kept"), el("span", {}, el("b", {}, first), " does not fire any more."))]
        : []),
      ...alerts.map((alert) => alertLine(alert, summary.turn)),
    );
    this.#alerts.hidden = this.#alerts.children.length === 0;
  }
}

function alertLine({ alert, severity, summary, since_turn: since }, turn) {
  const ago = Number.isInteger(since) && turn > since ? `, for ${count(turn - since, "turn")}` : "";
  const runbook = runbookOf({ alert });
  return el(
    `li.${severity === "critical" ? "critical" : "warning"}`,
    {},
    icon("bell"),
    el("span", {}, el("b", {}, alert), ` ${severity}${ago}. ${summary}`),
    runbook === null ? null : el("a.anchor", { href: runbook, target: "_blank", rel: "noopener" }, "Runbook"),
  );
}

/** [the word that opens it, the sentence]. */
export function nextWords(summary) {
  const { next, turn, closed, tokens, max_tokens: max, thresholds, zone, velocity_tokens_per_turn: velocity } = summary;
  if (closed) return ["Closed.", `Nothing more is decided; this is the context as its last turn left it.`];
  if (turn === 0) return ["Next:", "its first turn."];
  if (next === null || next === undefined) return ["Next:", quiet()];
  const begins = `turn ${next.turn ?? turn + 1}`;
  if (next.blocks === 0) return ["Next:", `${begins} starts with a pass, and nothing may be taken as it stands.`];
  const ready = next.summary_ready ? " and swaps in a ready summary" : "";
  const size = `to about ${compact(next.tokens_after)} tok (${percent(next.tokens_after / max, 0)})`;
  return ["Next:", `${begins} starts with a pass. It takes ${count(next.blocks, "block")}${ready}, ${size}.`];

  function quiet() {
    const room = thresholds.orange * max - tokens;
    const orange = `Orange begins at ${percent(thresholds.orange, 0)}`;
    if (zone === "orange" || zone === "red") return `no edit is planned; the zone is ${zone}.`;
    if (velocity === null || velocity <= 0)
      return `no edit. ${orange}, ${compact(room)} tok away, and the context does not grow.`;
    return `no edit. ${orange}, ${compact(room)} tok or about ${turns(room / velocity)} turns away.`;
  }
}
