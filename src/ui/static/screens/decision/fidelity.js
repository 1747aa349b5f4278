import { el } from "../../draw/dom.js";
import { count, percent } from "../../draw/format.js";
import { probeWord } from "./kind-words.js";

/** How many of the facts of what went the context still tells, by their kinds, against the floor. */
export function drawFidelity(root, hint, { fidelity, taken }) {
  if (fidelity === null) {
    hint.textContent = "";
    const words =
      taken.length === 0
        ? "Nothing went, so nothing was asked."
        : "The pass was not judged: it took out nothing that had to be folded.";
    root.replaceChildren(el("p.dim", {}, words));
    return;
  }
  const { score, generation, probes, kept, floor, below_floor: isBelow, by_type: byType, judge } = fidelity;
  hint.textContent = `fold ${generation} of the session, judged ${judge === "llm" ? "by a model" : "by looking for the facts"}`;
  root.replaceChildren(
    el(
      "p",
      {},
      el("b.num.figure", {}, percent(score, 0)),
      ` is the mean over ${count(Object.keys(byType).length, "kind")} of facts; ${kept} of all ${count(probes, "fact")} asked for are still told. `,
      isBelow
        ? el("span.wrong", {}, `That is under the floor of ${percent(floor, 0)}.`)
        : `The floor is ${percent(floor, 0)}.`,
    ),
    el(
      "dl.kinds",
      {},
      ...Object.entries(byType).flatMap(([type, share]) => [
        el("dt", {}, probeWord(type)),
        el(
          "dd",
          {},
          el("span.kind-bar", { vars: { "--share": String(share), "--floor": String(floor) }, "aria-hidden": "true" }),
          el("span.num", {}, percent(share, 0)),
        ),
      ]),
    ),
  );
}
