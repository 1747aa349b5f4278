import { el, icon, setText } from "../../draw/dom.js";
import { span } from "../../draw/format.js";
import { alertList } from "./alerts.js";
import { ConfigView } from "./config-view.js";
import * as groups from "./groups.js";
import { linkList } from "./links.js";
import { Panel } from "./panel.js";
import { headlineOf, problemsOf, promiseOf } from "./verdict.js";

const READ_EVERY_MS = 10_000;
/** Nothing is shown for so long while the first answer is on its way, ms. */
const PATIENCE_MS = 150;

/** The daemon itself: what it does, how well, and with which config. */
export const open = (root, app) => new SystemScreen(root, app);

class SystemScreen {
  #app;
  #heading = el("h1", {}, "System");
  #subline = el("p.dim");
  #problems = el("ul.system-problems", { hidden: "" });
  #failure = el("p.system-failure", { role: "status", hidden: "" });
  #panels;
  #config;
  #links = new Panel("Links", { wide: true });
  #root;
  #timer = null;
  #patience = null;
  #report = null;
  #closed = false;
  #isReading = false;

  constructor(root, app) {
    this.#app = app;
    this.#root = root;
    this.#config = new ConfigView(app);
    this.#panels = {
      hooks: new Panel("Hooks"),
      journal: new Panel("Journal"),
      process: new Panel("Process"),
      models: new Panel("Models"),
      estimator: new Panel("Token count error"),
      outputs: new Panel("Outputs"),
      alerts: new Panel("Alerts and their delivery", { wide: true }),
    };
    root.append(el("section.lead", {}, this.#heading, this.#subline), this.#problems, this.#failure);
    if (!app.can("operator")) {
      this.#refuse();
      return;
    }
    this.#patience = setTimeout(() => this.#frame(), PATIENCE_MS);
    this.#timer = setInterval(() => this.#read(), READ_EVERY_MS);
    this.#read();
  }

  figures() {
    if (this.#report !== null) this.#drawHour(problemsOf(this.#report));
  }

  resync() {
    this.#read();
  }

  close() {
    this.#closed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#patience);
  }

  query() {}

  async #read() {
    if (this.#isReading || this.#closed || !this.#app.can("operator")) return;
    this.#isReading = true;
    try {
      const report = await this.#app.call("system.report");
      if (this.#closed) return;
      this.#report = report;
      this.#failure.hidden = true;
      this.#draw();
    } catch (error) {
      if (this.#closed) return;
      this.#fail(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** The panels at their place, before there is anything in them. */
  #frame() {
    clearTimeout(this.#patience);
    if (this.#root.querySelector(".system-grid") !== null) return;
    const panels = Object.values(this.#panels).map(({ node }) => node);
    this.#root.append(el("div.system-grid", {}, ...panels, this.#config.node, this.#links.node));
  }

  #draw() {
    this.#frame();
    const report = this.#report;
    const problems = problemsOf(report);
    const warnIn = (part) => (id) => problems.find((each) => each.part === part && each.id === id)?.text ?? null;
    this.#drawLead(report, problems);
    const { journal, process, models, outputs, alerts } = this.#panels;
    journal.show([report.journal, report.at], () => groups.journalRows(report, warnIn("journal")));
    process.show([report.process, report.at], () => groups.processRows(report, warnIn("process")));
    models.show(report.models, () => groups.modelRows(report, warnIn("models")));
    outputs.show([report.outputs, report.at], () => groups.outputRows(report, warnIn("outputs")));
    const { firing, firing_total, inbox } = report.alerts;
    const age = inbox.length === 0 ? null : report.at;
    alerts.show([firing, firing_total, inbox, age], () => alertList(report, (...where) => this.#app.href(...where)));
    this.#config.show(report.config);
    this.#drawLinks((report.config.in_force.server?.auth?.tokens_file ?? null) !== null);
    this.#drawHour(problems);
  }

  #drawLinks(takesToken) {
    this.#links.show(takesToken, () => linkList(takesToken));
  }

  #drawLead(report, problems) {
    const { level, text } = headlineOf(report, problems);
    const signature = `${level} ${text}`;
    if (this.#heading.dataset.signature !== signature) {
      this.#heading.dataset.signature = signature;
      const mark = el(
        `span.zone-words.in-${level === 2 ? "red" : "orange"}`,
        {},
        icon(level === 2 ? "zone-red" : "zone-orange", "shape"),
      );
      this.#heading.replaceChildren(...(level === 0 ? [text] : [mark, text]));
    }
    const { process } = report;
    const build = `contextd ${process.version} on Node ${process.node.replace(/^v/, "")}, up ${span(process.uptime_seconds * 1000)}.`;
    setText(this.#subline, `${build} ${promiseOf(report)}`);
    const others = problems.slice(1);
    this.#problems.hidden = others.length === 0;
    const words = others.map(({ text: sentence }) => sentence);
    if (this.#problems.dataset.words !== words.join("\n")) {
      this.#problems.dataset.words = words.join("\n");
      this.#problems.replaceChildren(
        ...words.map((sentence) => el("li.in-orange", {}, icon("zone-orange", "shape"), el("span", {}, sentence))),
      );
    }
  }

  /** The groups with lines of the last hour, which come with the shell's own reading of `status.report`. */
  #drawHour(problems) {
    const report = this.#report;
    const { report: status } = this.#app;
    const { hooks, estimator } = this.#panels;
    const warn = (id) => problems.find((each) => each.part === "estimator" && each.id === id)?.text ?? null;
    hooks.show([report.hooks, status.hooks, status.history, problems], () =>
      groups.hookGroup(report, status, problems),
    );
    estimator.show([report.estimator, status.history.count_error, problems], () =>
      groups.estimatorRows(report, status, warn),
    );
  }

  #fail(error) {
    clearTimeout(this.#patience);
    if (error.reason === "unauthorized") {
      this.#refuse();
      return;
    }
    const code = error.code === null ? error.reason : `${error.code} ${error.reason}`;
    const since = this.#report === null ? "" : ` What is shown is from ${this.#app.time(this.#report.at)}.`;
    setText(this.#failure, `The daemon's figures could not be read (${code}). Trying again each 10 seconds.${since}`);
    this.#failure.hidden = false;
  }

  /** The reader may not see it: why, and what would change that. The links are for everybody. */
  #refuse() {
    clearTimeout(this.#patience);
    const held = this.#app.report?.scopes ?? [];
    const has = held.length === 0 ? "" : ` Yours has ${held.join(" and ")}.`;
    setText(
      this.#subline,
      `The figures of the daemon itself take a token with the scope operator, or admin.${has} Whoever runs the daemon gives scopes in the file that server.auth.tokens_file names; reload the page to enter another token.`,
    );
    // Whom something is refused has come with a token: without any, everybody may see all.
    this.#drawLinks(true);
    this.#root.querySelector(".system-grid")?.remove();
    this.#root.append(el("div.system-grid", {}, this.#links.node));
  }
}
