import { el } from "../../draw/dom.js";
import { span } from "../../draw/format.js";

const RANK = { critical: 0, warning: 1, info: 2 };

/** The alerts that fire, critical ones first; the panel is there only while there are any. */
export function drawAlerts(panel, counter, list, alerts) {
  panel.hidden = alerts.length === 0;
  counter.textContent = String(alerts.length);
  const now = Date.now();
  const sorted = [...alerts].sort((a, b) => (RANK[a.severity] ?? 3) - (RANK[b.severity] ?? 3));
  list.replaceChildren(
    ...sorted.map((alert) =>
      el(
        "li.alert",
        {},
        el(`span.severity${Object.hasOwn(RANK, alert.severity) ? `.${alert.severity}` : ""}`, {}, alert.severity),
        el("b", {}, alert.alert),
        el("span.num.dim", {}, Number.isFinite(alert.raised_at) ? span(now - alert.raised_at) : ""),
        alert.session_id ? el("span.mono", {}, alert.session_id) : null,
        el("p", {}, alert.summary),
      ),
    ),
  );
}
