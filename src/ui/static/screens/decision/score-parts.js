import { el } from "../../draw/dom.js";
import { signalWord } from "./kind-words.js";

const figure = (value, digits) => (value === null ? "–" : value.toFixed(digits));

/** The score as a sum: value × weight = part for each signal. A track is as wide as the weight, its fill is the part. */
export function scoreParts({ score, signals, policy }, recorded) {
  if (score === null) {
    return el("p.dim.unscored", {}, "No policy scored it: a step of the cascade, or the end of the window, took it.");
  }
  if (signals.length === 0)
    return el("p.dim.unscored", {}, `Score ${score.toFixed(3)}; ${policy ?? "the policy"} told no parts.`);
  const widest = Math.max(...signals.map(({ weight, part }) => weight ?? Math.abs(part)), 0.001);
  // Passes of earlier versions did not record their weights.
  const isOfNow = !recorded && signals.some(({ weight }) => weight !== null);
  const table = el(
    "table.parts",
    {},
    el("caption.unseen", {}, "Parts of the score"),
    el("thead", {}, el("tr", {}, ...HEADS.map(([words, className]) => el(`th${className}`, { scope: "col" }, words)))),
    el("tbody", {}, ...signals.map((signal) => row(signal, widest))),
    el(
      "tfoot",
      {},
      el("tr", {}, el("th", { scope: "row", colspan: "4" }, "Score"), el("td.right.num", {}, score.toFixed(3))),
    ),
  );
  return isOfNow ? el("div", {}, table, el("p.hint", {}, "Weights by the settings in force now.")) : table;
}

const HEADS = [
  ["Signal", ""],
  ["value", ".right"],
  ["× weight", ".right.fade"],
  ["", ".track-cell"],
  ["part", ".right"],
];

function row({ name, value, weight, part }, widest) {
  const track = weight ?? Math.abs(part);
  const share = track === 0 ? 0 : Math.min(1, Math.abs(part) / track);
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, signalWord(name)),
    el("td.right.num", {}, figure(value, 2)),
    el("td.right.num.fade", {}, figure(weight, 2)),
    el(
      "td.track-cell",
      {},
      el("span.track", {
        vars: { "--width": String(track / widest), "--share": String(share) },
        "aria-hidden": "true",
      }),
    ),
    el("td.right.num", {}, part < 0 ? `−${(-part).toFixed(3)}` : part.toFixed(3)),
  );
}
