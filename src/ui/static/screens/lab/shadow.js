import { el } from "../../draw/dom.js";
import { compact, count } from "../../draw/format.js";
import { failure, panel, scrolled } from "./panel.js";
import { FIGURES, policyLabel, recall } from "./words.js";

const SHOWN = 20;

/** Candidates that run beside the live policy: their figures, and which sessions are watched. */
export class ShadowPanel {
  #app;
  #body;
  #report = el("div");
  #error = el("div");
  #field = el("input.field", {
    id: "lab-watch",
    list: "lab-sessions",
    placeholder: "Session",
    autocomplete: "off",
    spellcheck: "false",
    required: "",
  });
  #drawn = "";
  #closed = false;
  node;

  constructor(app) {
    this.#app = app;
    const { node, body, hint } = panel("Shadow", "lab-shadow");
    this.node = node;
    this.#body = body;
    hint.textContent = "Candidates beside the live policy of running sessions. Nothing live changes.";
    const form = el(
      "form.lab-watch",
      { on: { submit: (event) => this.#submit(event) } },
      el("label.unseen", { for: "lab-watch" }, "Session to watch"),
      this.#field,
      app.guard.button(el("button.button", { type: "submit" }, "Watch")),
    );
    this.#body.append(this.#error, this.#report, form);
    this.read();
  }

  async read() {
    try {
      const report = await this.#app.call("shadow.report");
      if (this.#closed) return;
      this.#error.replaceChildren();
      // What has not changed is left alone, and the reader's place in it.
      const text = JSON.stringify(report);
      if (text === this.#drawn) return;
      this.#drawn = text;
      this.#report.replaceChildren(...draw(report, this.#app, (id) => this.#unwatch(id)));
    } catch (error) {
      if (!this.#closed) this.#fail("What candidates kept could not be read.", error, () => this.read());
    }
  }

  close() {
    this.#closed = true;
  }

  async #submit(event) {
    event.preventDefault();
    const session_id = this.#field.value.trim();
    if (session_id === "") return;
    const isSure = await this.#app.confirm({
      title: `Watch ${session_id}?`,
      body: [
        "Its calls are followed from the first one on, under its own policy and each candidate of the config.",
        "The session does not change; each candidate takes as much time and memory as the session itself.",
      ],
      action: "Watch",
    });
    if (isSure && (await this.#do("shadow.watch", session_id, "The session could not be watched."))) {
      this.#field.value = "";
    }
  }

  async #unwatch(session_id) {
    const isSure = await this.#app.confirm({
      title: `Watch ${session_id} no more?`,
      body: "What it has shown so far stays in the report.",
      action: "Unwatch",
    });
    if (isSure) await this.#do("shadow.unwatch", session_id, "The session is still watched.");
  }

  async #do(method, session_id, what) {
    try {
      await this.#app.call(method, { session_id });
      await this.read();
      return true;
    } catch (error) {
      this.#fail(what, error, null);
      return false;
    }
  }

  #fail(what, error, again) {
    this.#error.replaceChildren(failure(what, error, again));
  }
}

function draw({ policies, sessions }, app, unwatch) {
  if (sessions.length === 0) {
    return [
      el(
        "p.hint",
        {},
        "No session is watched. New sessions are, once the config names candidates under ",
        el("code", {}, "shadow.candidates"),
        "; an open one can be watched by hand.",
      ),
    ];
  }
  const hasCandidates = policies.some(({ policy }) => policy !== "live");
  return [
    scrolled("Policies in shadow", policyTable(policies)),
    hasCandidates ? null : el("p.hint", {}, "The config names no candidate: only the live policy is measured."),
    sessionList(sessions, app, unwatch),
  ].filter((node) => node !== null);
}

function policyTable(policies) {
  const heads = ["Sessions", "Turns", "Line recall", "Value recall", "Cost", "Tokens sent", "Edited turns, per 100"];
  const rows = policies.map((own) => {
    const edited = own.turns === 0 ? null : (100 * own.edited_turns) / own.turns;
    const cells = [
      compact(own.sessions),
      compact(own.turns),
      recall(own.line_recall),
      recall(own.value_recall),
      FIGURES.relative_cost.text(own.relative_cost),
      compact(own.tokens_sent),
      FIGURES.edits_per_100_turns.text(edited),
    ];
    const name = own.policy === "live" ? "Live policy" : policyLabel(own.policy);
    return el(
      "tr",
      { "data-policy": own.policy },
      el("th", { scope: "row" }, name),
      ...cells.map((cell) => el("td.n.num", {}, cell)),
    );
  });
  const head = [el("th", { scope: "col" }, "Policy"), ...heads.map((words) => el("th.n", { scope: "col" }, words))];
  return el("table.lab-table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
}

function sessionList(sessions, app, unwatch) {
  const shown = sessions.slice(0, SHOWN);
  const rest = sessions.length - shown.length;
  const row = ({ session_id, agent, ended, calls_behind, policies }) => {
    const state =
      ended === null
        ? calls_behind > 0
          ? `${count(calls_behind, "call")} behind`
          : "up to date"
        : `ended: ${ended.replaceAll("_", " ")}`;
    const stop = el("button.button", { type: "button", on: { click: () => unwatch(session_id) } }, "Unwatch");
    app.guard.button(stop);
    stop.hidden = ended !== null;
    return el(
      "li",
      {},
      el("a.mono.anchor", { href: app.href(["session", session_id]) }, session_id),
      el("span.hint", {}, agent),
      el("span.hint", {}, `${count(policies.length, "policy", "policies")}, ${state}`),
      stop,
    );
  };
  return el(
    "ul.lab-watched",
    {},
    ...shown.map(row),
    rest > 0 ? el("li.hint", {}, `and ${count(rest, "session")} more`) : null,
  );
}
