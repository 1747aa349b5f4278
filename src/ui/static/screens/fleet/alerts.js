import { runbookOf } from "../../app/runbooks.js";
import { el } from "../../draw/dom.js";
import { span, whole } from "../../draw/format.js";
import { visible } from "../../draw/names.js";

const RANK = { critical: 0, warning: 1, info: 2 };
/** More than anybody reads one by one; the rest is a number. */
const MOST = 50;

/** The alerts that fire, critical ones first; the panel is there only while there are any. */
export class Alerts {
  #panel;
  #counter;
  #list;
  #href;
  #drawn = null;
  #drawnAt = 0;

  constructor({ panel, counter, list }, href) {
    this.#panel = panel;
    this.#counter = counter;
    this.#list = list;
    this.#href = href;
  }

  /** One was raised or resolved: the next drawing looks at them. */
  changed() {
    this.#drawnAt = 0;
  }

  /** `alerts`: a Map. Drawn anew when others fire, or when an age is another one. */
  draw(alerts, now) {
    if (now - this.#drawnAt < 1000) return;
    this.#drawnAt = now;
    this.#panel.hidden = alerts.size === 0;
    if (alerts.size === 0) {
      this.#drawn = null;
      return;
    }
    const sorted = [...alerts.values()].sort((a, b) => rank(a) - rank(b) || (b.raised_at ?? 0) - (a.raised_at ?? 0));
    const shown = sorted.slice(0, MOST);
    const signature = JSON.stringify([alerts.size, shown.map((alert) => [alert, age(alert, now)])]);
    if (signature === this.#drawn) return;
    this.#drawn = signature;
    this.#counter.textContent = whole(alerts.size);
    // A list that is drawn anew under the keyboard takes the focus away with it.
    const at = [...this.#list.querySelectorAll("a")].indexOf(document.activeElement);
    this.#list.replaceChildren(...shown.map((alert) => this.#item(alert, now)), ...rest(sorted.length - shown.length));
    if (at >= 0) this.#list.querySelectorAll("a")[at]?.focus();
  }

  #item(alert, now) {
    const { alert: name, severity, summary, session_id: session } = alert;
    const turn = alert.turn ?? alert.since_turn;
    const address = session ? this.#href(["session", session], { alert: name, turn }) : this.#href(["system"]);
    const runbook = runbookOf(alert);
    return el(
      "li.alert",
      {},
      el(`span.severity${Object.hasOwn(RANK, severity) ? `.${severity}` : ""}`, {}, severity),
      el("a.whole", { href: address }, name),
      el("span.num.dim", {}, age(alert, now)),
      session ? el("span.mono", {}, visible(session)) : null,
      el("p", {}, summary),
      runbook === null ? null : el("a.anchor", { href: runbook, target: "_blank", rel: "noreferrer" }, "Runbook"),
    );
  }
}

function rank({ severity }) {
  return RANK[severity] ?? 3;
}

/** Since when it fires, in time; as the daemon tells it of alerts from before the page was opened, by its turn. */
function age({ raised_at: at, since_turn: turn }, now) {
  if (Number.isFinite(at)) return span(now - at);
  return Number.isFinite(turn) ? `turn ${whole(turn)}` : "";
}

function rest(n) {
  return n > 0 ? [el("li.alert.dim", {}, `and ${whole(n)} more`)] : [];
}
