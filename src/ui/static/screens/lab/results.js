import { el } from "../../draw/dom.js";
import { count, whole } from "../../draw/format.js";
import { Frontier } from "./frontier.js";
import { panel } from "./panel.js";
import { Runs } from "./runs.js";
import { scoreTable } from "./score-table.js";
import { TimelinePair } from "./timeline.js";
import { useB } from "./use-b.js";
import { difference, FIGURES, policyLabel, recall, skippedWords, windowLabel } from "./words.js";

/** What a replay found: the score, the frontier, one run's timelines, all runs, and how to use B. */
export class Results {
  #frontier = new Frontier();
  #timelines;
  #runs;
  #score = panel("A against B");
  #plot = panel("Recall and what it costs", "lab-plot-panel");
  #one = panel("One run, both policies");
  #all = panel("Runs");
  #notes = el("div.lab-notes");
  #use = el("div");
  #runsById = new Map();
  run = null;
  node;

  /** `onRun(id)`: another run is chosen. */
  constructor(app, onRun) {
    this.#timelines = new TimelinePair(app);
    this.#runs = new Runs(onRun);
    this.#plot.hint.textContent = "Up and left is better. Every policy on the same runs; crosses are bounds.";
    this.#plot.body.append(this.#frontier.node);
    this.#all.hint.textContent = "B less A, line recall. Worst for B first.";
    this.#all.body.append(this.#runs.node);
    this.#all.node.classList.add("lab-flush");
    this.node = el(
      "div.lab-results",
      {},
      this.#notes,
      el("div.lab-columns", {}, this.#score.node, this.#plot.node),
      el("div.lab-columns.wide", {}, this.#one.node, this.#all.node),
      this.#use,
    );
  }

  /** Answers what it comes to: `{ sentence, detail }`. */
  show(replay, policies) {
    const [a, b] = replay.policies_asked;
    const hasRuns = replay.runs.length > 0;
    for (const box of this.node.querySelectorAll(".lab-columns")) box.hidden = !hasRuns;
    this.#notes.replaceChildren(...notes(replay));
    const kind = policies.find(({ name }) => name === b)?.kind ?? "policy";
    this.#use.replaceChildren(useB(b, kind));
    if (!hasRuns) {
      return {
        sentence: "No session says anything at this window",
        detail: "Choose another window, or longer sessions.",
      };
    }
    this.#score.hint.textContent = `${policyLabel(a)} against ${policyLabel(b)}. 95% interval, paired bootstrap over tasks.`;
    this.#score.body.replaceChildren(scoreTable(replay.pairs));
    this.#frontier.show(replay.policies, { a, b });
    this.#runsById = new Map(replay.runs.map((run) => [run.id, run]));
    this.#runs.show(replay.runs, replay.timeline?.run ?? null);
    this.showTimeline(replay.timeline);
    const isManaged = [a, b].every((name) => MANAGED.has(policies.find((own) => own.name === name)?.kind));
    return answer(replay, { a, b, isManaged });
  }

  showTimeline(timeline) {
    if (timeline === null) return;
    const { run, a, b } = timeline;
    this.run = run;
    const own = this.#runsById.get(run);
    const turns = own?.turns ?? a.tokens.length;
    this.#one.hint.replaceChildren(
      el("span.mono", {}, run),
      `, ${count(turns, "turn")}, window ${whole(a.window_tokens)} tok${sameTurns(own)}`,
    );
    this.#one.body.replaceChildren(this.#timelines.node);
    this.#timelines.show({ a, b });
    this.#runs.choose(run);
  }

  failTimeline(node) {
    this.#one.body.replaceChildren(node);
  }

  choose(id) {
    this.#runs.choose(id);
  }

  key(event) {
    return this.#runs.key(event);
  }

  /** The chosen run in words. */
  spoken() {
    return this.#runs.spoken();
  }

  close() {
    this.#frontier.close();
    this.#timelines.close();
  }
}

/** Kinds of policies under which contextd works: they differ in what goes first alone. */
const MANAGED = new Set(["policy", "profile"]);

const KEEPS = { better: "keeps more of what was needed", worse: "keeps less of what was needed" };
const COSTS = { better: "costs less", worse: "costs more" };

/** The answer in a sentence, and the figures behind it. */
function answer(replay, { a, b, isManaged }) {
  const of = (figure) => replay.pairs.find((pair) => pair.figure === figure);
  const [line, cost] = [of("line_recall"), of("relative_cost")];
  const turns = replay.runs.reduce((sum, run) => sum + run.turns, 0);
  const figures = [
    `Line recall ${difference(line.difference?.mean ?? null, recall)}`,
    `cost ${difference(cost.difference?.mean ?? null, FIGURES.relative_cost.text)}`,
    count(replay.runs.length, "run"),
    count(turns, "turn"),
    `window ${windowLabel(replay.window)}`,
    `${replay.seconds.toFixed(1)} s`,
  ];
  const same = sameWords(replay.runs, isManaged);
  return {
    sentence: same.isAll
      ? `${policyLabel(b)} and ${policyLabel(a)} sent the same contexts`
      : verdict(policyLabel(a), policyLabel(b), line, cost),
    detail: `${figures.join(", ")}. ${same.words}`.trim(),
  };
}

/** Of one run: how often both sent the same context. */
function sameTurns(run) {
  if (run === undefined || run.compared_turns === 0) return "";
  return `, same context in ${whole(run.same_turns)} of ${count(run.compared_turns, "turn")} after the first edit`;
}

/** Above this share of turns with the same context, it is said why two policies hardly differ. */
const MOSTLY = 0.5;
const WHY_SAME =
  "Passes go so deep that nearly all that nothing protects leaves, and the ledger keeps what is needed of it.";

/** In how many turns both sent the same context, of those in which they could have differed. */
function sameWords(runs, isManaged) {
  const compared = runs.reduce((sum, run) => sum + run.compared_turns, 0);
  const same = runs.reduce((sum, run) => sum + run.same_turns, 0);
  if (compared === 0) return { isAll: false, words: "Neither edited a context." };
  const told = `Both sent the same context in ${whole(same)} of ${count(compared, "turn")} after the first edit.`;
  const explains = isManaged && same >= MOSTLY * compared;
  return { isAll: same === compared, words: explains ? `${told} ${WHY_SAME}` : told };
}

function verdict(a, b, line, cost) {
  if (line.verdict === "unknown") return `Too few runs to tell ${b} from ${a}`;
  const kept = KEEPS[line.verdict];
  const paid = COSTS[cost.verdict];
  const joined = kept !== undefined && paid !== undefined && line.verdict !== cost.verdict ? "but" : "and";
  const first = kept === undefined ? `${b} keeps as much as ${a}` : `${b} ${kept} than ${a}`;
  return `${first} ${joined} ${paid ?? "costs as much"}`;
}

/** Sessions that are left out, and why. */
function notes({ skipped, failures }) {
  const left = skippedWords(skipped).map((words) => el("p.hint", {}, `Left out, ${words}.`));
  const failed = failures.map(({ id, message }) => el("p.hint", {}, el("span.mono", {}, id), `: ${message}`));
  return [...left, ...failed];
}
