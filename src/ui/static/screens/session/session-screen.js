import { shortened, visible } from "../../draw/names.js";
import { Budgets } from "./budgets/budgets.js";
import { CarriedPanel } from "./carried/panel.js";
import { CompositionPanel } from "./composition/panel.js";
import { DecisionsPanel } from "./decisions/panel.js";
import { showFault } from "./fault.js";
import { layout, panelsOf } from "./layout.js";
import { Actions } from "./lead/actions.js";
import { Figures } from "./lead/figures.js";
import { Gauge } from "./lead/gauge.js";
import { Lead } from "./lead/lead.js";
import { Next } from "./lead/next.js";
import { Notices } from "./lead/notices.js";
import { MapPanel } from "./map/panel.js";
import { windowAsked } from "./read/chosen-window.js";
import { Decisions } from "./read/decisions.js";
import { turnNamed } from "./read/named.js";
import { readBack } from "./read/read-back.js";
import { SessionReader } from "./read/session-reader.js";

/** Nothing is drawn for this long, ms: a session that is read at once does not flicker. */
const QUIET_MS = 150;
/** Pages of earlier decisions that are read to find the one that an address names. */
const MOST_PAGES = 20;
/** Pages that are read for the chart's lane without being asked for. */
const LANE_PAGES = 16;

/** Joins what is read of a session to the panels that show it. Each panel waits for its own part, and fails alone. */
export class SessionScreen {
  #app;
  #session;
  #reader;
  #parts;
  #decisions = [];
  #story = new Decisions();
  #dirty = new Set();
  /** The turn under the chart's cursor; null: now. */
  #cursor = null;
  #traced = null;
  #revealed = null;
  /** Set once the chart's lane is being filled. */
  #filling = false;
  #frame;

  constructor(root, app, session) {
    this.#app = app;
    this.#session = session;
    this.#reader = new SessionReader(app, session, {
      change: (name) => this.#changed(name),
      gone: () => app.showNotFound(`There is no session ${shortened(session)}.`),
    });
    this.#parts = this.#build();
    root.append(...layout(this.#parts));
    this.#frame = setTimeout(() => root.classList.add("framed"), QUIET_MS);
  }

  apply(event, isNew) {
    if (isNew && event.subject === this.#session) this.#reader.apply(event);
  }

  resync() {
    this.#reader.resync();
  }

  figures() {
    this.#changed("summary");
  }

  query() {
    this.#revealed = null;
    for (const name of ["summary", "trend", "history", "context"]) this.#changed(name);
  }

  paint(now) {
    this.#parts.lead.paint(now);
    if (this.#dirty.size === 0) return;
    const dirty = this.#dirty;
    this.#dirty = new Set();
    this.#draw(dirty);
  }

  key({ key }) {
    if (key === "0") this.#chooseWindow(0);
    else if (key === "[") this.#parts.composition.toDecision(-1);
    else if (key === "]") this.#parts.composition.toDecision(1);
    else if (key === "j") this.#parts.decisions.step(1);
    else if (key === "k") this.#parts.decisions.step(-1);
    else return false;
    return true;
  }

  close() {
    clearTimeout(this.#frame);
    this.#reader.close();
    this.#parts.composition.close();
    this.#parts.map.close();
    this.#app.tip.hide();
  }

  #build() {
    const app = this.#app;
    const call = (method, params) => app.call(method, { session_id: this.#session, ...params });
    const actions = new Actions(app, this.#session, () => this.#reader.resync());
    const link = ({ passId }) => (passId === null ? null : app.href(["session", this.#session, "decision", passId]));
    return {
      actions,
      lead: new Lead(app, visible(this.#session), actions.node),
      notices: new Notices(app, this.#session, call, () => this.#changed("history")),
      gauge: new Gauge(),
      figures: new Figures(),
      next: new Next(),
      budgets: new Budgets(),
      composition: new CompositionPanel(app, call, {
        link,
        window: (number) => this.#chooseWindow(number),
        open: (turn) => this.#openTurn(turn),
        decision: (decision) => this.#openDecision(decision, true),
        cursor: (turn) => {
          this.#cursor = turn;
          this.#changed("budget");
        },
        phrase: (phrase) => {
          app.setQuery({ phrase });
          this.#changed("summary");
        },
      }),
      map: new MapPanel(app, call, {
        choose: (block) => {
          app.setQuery({ block });
          this.#changed("context");
        },
        pinned: () => this.#reader.resync(),
      }),
      decisions: new DecisionsPanel({
        link,
        open: (decision) => this.#openDecision(decision, false),
        more: () => this.#reader.moreHistory(),
      }),
      carried: new CarriedPanel(app, call),
    };
  }

  #changed(name) {
    this.#dirty.add(name);
    this.#app.repaint();
  }

  #draw(dirty) {
    const { known, history, faults } = this.#reader;
    const { summary } = known;
    const parts = this.#parts;
    for (const [panel, names] of panelsOf(parts)) {
      const name = names.find((part) => faults.has(part));
      showFault(panel, faults.get(name), () => this.#again(names));
    }
    if (summary === undefined) return;
    if (dirty.has("history") || this.#decisions.length === 0)
      this.#decisions = this.#story.of(history.entries, summary);
    if (dirty.has("summary") || dirty.has("history")) this.#drawNow(summary);
    const isMoved = dirty.has("summary") || dirty.has("trend") || dirty.has("history");
    if (known.trend !== undefined && isMoved) this.#drawComposition(summary);
    if (known.budget !== undefined) this.#drawBudgets(summary, known.budget);
    if (known.context !== undefined && (dirty.has("context") || dirty.has("summary"))) {
      parts.map.show({ context: known.context, summary, chosen: this.#app.query.get("block") });
    }
    if (dirty.has("history") || dirty.has("trend")) this.#drawDecisions(summary);
    if (known.trend !== undefined) this.#fillLane();
    parts.carried.show({ ...known, summary });
    parts.notices.show({ ...known, summary, history, decisions: this.#decisions });
  }

  #again(names) {
    for (const name of names) if (this.#reader.faults.has(name)) this.#reader.ask(name, 0);
  }

  #drawNow(summary) {
    const parts = this.#parts;
    parts.lead.show(summary, this.#app.report?.tenant, this.#policy(), this.#closingReason());
    parts.actions.show(summary);
    parts.gauge.show(summary);
    parts.figures.show(summary, this.#usage());
    parts.next.show(summary, this.#app.query.get("alert"));
  }

  #usage() {
    return (
      this.#reader.usage ?? this.#reader.history.entries.findLast(({ type }) => type === "turn.ended")?.data ?? null
    );
  }

  #closingReason() {
    return this.#reader.history.entries.findLast(({ type }) => type === "session.closed")?.data.reason ?? null;
  }

  /** The eviction policy in force, as the last block that it took tells it. */
  #policy() {
    return this.#reader.history.entries.findLast(({ type }) => type === "block.evicted")?.data.policy ?? null;
  }

  #drawComposition(summary) {
    const { trend } = this.#reader;
    const { query } = this.#app;
    const { turn } = turnNamed(query.get("turn"), summary.turn);
    this.#parts.composition.show({
      summary,
      trend,
      chosen: windowAsked(query.get("window"), turn, trend),
      marked: turn,
      decisions: this.#decisions,
    });
    const phrase = query.get("phrase") ?? "";
    const traced = `${phrase}\n${phrase === "" ? "" : summary.revision}`;
    if (traced === this.#traced) return;
    this.#traced = traced;
    this.#parts.composition.trace(phrase, summary.turn);
  }

  #drawBudgets(summary, budget) {
    const past = this.#cursor !== null && this.#cursor.turn !== summary.turn ? this.#cursor : null;
    this.#parts.budgets.show(budget, past?.components ?? null, summary.output_reserve ?? 0);
    this.#parts.budgetTurn.textContent = past === null ? `now, turn ${summary.turn}` : `at turn ${past.turn}`;
  }

  /** Decisions of the turns that the chart shows are read by and by, so that its lane is whole. */
  async #fillLane() {
    const { history, trend } = this.#reader;
    if (this.#filling || history.isWhole || history.entries.length === 0) return;
    this.#filling = true;
    const first = trend.turns.find(({ turn }) => turn > 0)?.turn ?? 1;
    // The panel of decisions tells what cannot be read; more is read when it is asked for.
    await readBack(this.#reader, LANE_PAGES, () => (this.#decisions[0]?.turn ?? first) <= first).catch(() => {});
  }

  #drawDecisions(summary) {
    const open = Number(this.#app.query.get("decision") ?? Number.NaN);
    const { history, trend } = this.#reader;
    this.#parts.decisions.show({
      decisions: this.#decisions,
      windows: trend.windows,
      turn: summary.turn,
      max: summary.max_tokens,
      isRead: history.isRead,
      isWhole: history.isWhole,
      open: Number.isInteger(open) ? open : null,
    });
    if (Number.isInteger(open) && this.#revealed !== open && history.entries.length > 0) this.#reveal(open);
  }

  /** Brings the decision that the address names into view, however far back it is. */
  async #reveal(position) {
    this.#revealed = position;
    const { history } = this.#reader;
    await readBack(this.#reader, MOST_PAGES, () => history.entries[0].position <= position).catch(() => {});
    this.paint(Date.now());
    this.#parts.decisions.reveal(position);
    this.#parts.notices.searched(position);
  }

  #chooseWindow(number) {
    this.#app.setQuery({ window: number === 0 ? "all" : number, turn: null });
    this.#changed("trend");
  }

  /** Enter on a turn: the pass that was made in it, else what else was decided. */
  #openTurn(turn) {
    const mine = this.#decisions.filter((decision) => decision.turn <= turn && decision.to >= turn);
    const chosen = mine.find(({ passId }) => passId !== null) ?? mine[0];
    if (chosen === undefined) this.#app.say(`Nothing was decided at turn ${turn}.`);
    else if (chosen.passId !== null) this.#app.navigate(["session", this.#session, "decision", chosen.passId]);
    else this.#openDecision(chosen, true);
  }

  #openDecision({ position }, isAsked) {
    const isOpen = this.#app.query.get("decision") === String(position);
    const next = isOpen && !isAsked ? null : position;
    this.#revealed = isAsked ? null : next;
    this.#app.setQuery({ decision: next });
    this.#changed("history");
  }
}
