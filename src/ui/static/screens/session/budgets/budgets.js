import { el, setText } from "../../../draw/dom.js";
import { compact, percent, turns, whole } from "../../../draw/format.js";
import { STACK } from "../read/trend.js";
import { COMPONENT_COLOURS, COMPONENT_NAMES } from "../read/words.js";

/** A bar ends beyond its hard limit, so that what is over shows. */
const BEYOND = 1.25;
/** Growth under this is none, tokens a turn. */
const STEADY = 20;
const LARGEST = 5;

/** Every component against its limits: the chart's legend too, so it follows the turn under the pointer. */
export class Budgets {
  #rows = STACK.toReversed().map((component) => new Row(component));
  #reserve = el("span.num");
  #tools = el("div.tools");
  node = el(
    "div.budget-rows",
    {},
    el(
      "div.budget.head",
      { "aria-hidden": "true" },
      ...["Component", "used", "hard", "turns left"].map((name) => el("span", {}, name)),
    ),
    ...this.#rows.map(({ node }) => node),
    el(
      "div.budget.reserve",
      {},
      el("span.budget-name", {}, el("i.swatch.hatched"), COMPONENT_NAMES.output_reserved),
      this.#reserve,
    ),
    el(
      "p.budget-key",
      {},
      el("span.key-mark", {}, el("i.soft-mark"), "soft"),
      el("span.key-mark", {}, el("i.hard-mark"), "hard"),
      el("span", {}, "enforced in total, tracked per component"),
    ),
    this.#tools,
  );

  /** `past`: tokens by component at another turn than now, or null. */
  show({ components, tools }, past, reserve) {
    for (const row of this.#rows)
      row.show(components[row.component], past === null ? null : (past[row.component] ?? 0));
    setText(this.#reserve, `${whole(reserve)} tok`);
    this.#largest(tools ?? []);
  }

  #largest(tools) {
    const largest = tools
      .filter(({ result_tokens: tokens }) => tokens > 0)
      .sort((a, b) => b.result_tokens - a.result_tokens)
      .slice(0, LARGEST);
    const most = largest[0]?.result_tokens ?? 1;
    const key = JSON.stringify(largest);
    if (key === this.#tools.dataset.shown) return;
    this.#tools.dataset.shown = key;
    const rows = largest.map(({ tool, server, result_tokens: tokens, results }) =>
      el(
        "div.tool",
        { title: server === null ? tool : `${tool}, ${server}` },
        el("span.mono", {}, tool),
        el("span.tool-bar", { vars: { "--share": String(tokens / most) } }),
        el("span.num", {}, compact(tokens)),
        el("span.num.dim", {}, `${whole(results)} live`),
      ),
    );
    const none = el("p.dim", {}, "No result of a tool is in the context.");
    this.#tools.replaceChildren(el("h3", {}, "Largest tool results"), ...(rows.length === 0 ? [none] : rows));
  }
}

class Row {
  component;
  #used = el("span.num");
  #hard = el("span.num.dim");
  #left = el("span.num.left");
  #share = el("span.num.budget-share");
  #bar = el("span.budget-bar", { role: "img" }, el("i.soft"), el("i.hard"));
  node;

  constructor(component) {
    this.component = component;
    const colour = { vars: { "--c": `var(${COMPONENT_COLOURS[component]})` } };
    const name = el("span.budget-name", {}, el("i.swatch", colour), COMPONENT_NAMES[component]);
    this.node = el("div.budget", colour, name, this.#used, this.#hard, this.#left, this.#bar, this.#share);
  }

  show(budget, past) {
    if (budget === undefined) return;
    const { soft_limit_tokens: soft, hard_limit_tokens: hard } = budget;
    const used = past === null ? budget.used_tokens : Math.round(past);
    const ratio = hard > 0 ? used / hard : used > 0 ? 1 : 0;
    const state = used > hard ? "over" : used > soft ? "soft" : "ok";
    this.node.className = `budget is-${state}${past === null && budget.urgency !== "none" ? ` is-${budget.urgency}` : ""}`;
    setText(this.#used, whole(used));
    setText(this.#hard, whole(hard));
    setText(this.#left, leftWords(budget, used, past));
    setText(this.#share, percent(ratio, 0));
    this.#bar.style.setProperty("--share", String(Math.min(1, ratio / BEYOND)));
    this.#bar.style.setProperty("--soft", String(hard > 0 ? soft / hard / BEYOND : 0.64));
    this.#bar.setAttribute("aria-label", `${COMPONENT_NAMES[this.component]}: ${percent(ratio, 0)} of the hard limit`);
  }
}

function leftWords({ hard_limit_tokens: hard, burn_rate: rate, turns_remaining: left }, used, past) {
  if (used > hard) return `over by ${compact(used - hard)}`;
  if (past !== null) return "";
  return rate === null || rate < STEADY || left === null ? "steady" : turns(left);
}
