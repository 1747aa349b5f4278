import { el } from "../../draw/dom.js";
import { visible } from "../../draw/names.js";
import { ago } from "./groups.js";
import { emptyRow } from "./panel.js";

const SHOWN = 20;

/** The alerts that fire with how far each sink has come, and what Alertmanager sent here. */
export function alertList({ alerts, outputs, at }, href) {
  return [firing(alerts, outputs.alert_sinks.length > 0, href), ...inbox(alerts.inbox, at)];
}

function firing({ firing: list, firing_total: total }, hasSinks, href) {
  if (list.length === 0) return emptyRow("No alert of contextd's own fires.");
  const more = total - Math.min(SHOWN, list.length);
  return el(
    "div",
    {},
    el("ul.system-alerts", {}, ...list.slice(0, SHOWN).map((alert) => alertRow(alert, hasSinks, href))),
    more > 0 ? emptyRow(`${more} more fire.`) : null,
  );
}

function alertRow(alert, hasSinks, href) {
  const address = href(["session", alert.session_id], { alert: alert.alert, turn: alert.since_turn });
  return el(
    "li",
    {},
    el(`span.severity.${alert.severity}`, {}, alert.severity),
    el("b", {}, alert.alert),
    el("a.anchor", { href: address }, el("bdi", {}, visible(alert.session_id))),
    el("span.dim", {}, `since turn ${alert.since_turn}`),
    el("span.delivery", {}, deliveryWords(alert.deliveries, hasSinks)),
    el("p", {}, alert.summary),
  );
}

export function deliveryWords(deliveries, hasSinks = true) {
  if (deliveries.length === 0) return hasSinks ? "no sink takes this severity" : "no sink is configured: it stays here";
  return deliveries
    .map(({ sink, state }) => (state === "settled" ? `told to ${sink}` : `waits for ${sink}`))
    .join(", ");
}

function inbox(list, at) {
  if (list.length === 0) return [];
  return [
    el("h3.system-sub", {}, "From Alertmanager"),
    el(
      "ul.system-alerts",
      {},
      ...list
        .slice(0, SHOWN)
        .map(({ alert, severity, status, receiver, received_at }) =>
          el(
            "li",
            {},
            el("span.severity", {}, severity === "" ? "no severity" : severity),
            el("b", {}, alert === "" ? "unnamed" : alert),
            el("span.dim", {}, `${status}, by receiver ${receiver}, ${ago(at - received_at)}`),
          ),
        ),
    ),
  ];
}
