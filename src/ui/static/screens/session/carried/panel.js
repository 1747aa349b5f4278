import { el } from "../../../draw/dom.js";
import { compact, count, whole } from "../../../draw/format.js";
import { showTexts } from "../map/text-dialog.js";
import { plain } from "../read/words.js";

/** What goes from window to window: the task, the agent's notes, checkpoints, and work that was handed out. */
export class CarriedPanel {
  #task = el("div.carried-part");
  #notes = el("div.carried-part");
  #checkpoints = el("div.carried-part");
  #delegations = el("div.carried-part", { hidden: "" });
  #app;
  #call;
  #shown = new Map();
  node;

  constructor(app, call) {
    this.#app = app;
    this.#call = call;
    this.node = el(
      "section.panel.carried",
      { "aria-labelledby": "carried-title" },
      el(
        "header.panel-head",
        {},
        el("h2", { id: "carried-title" }, "What it carries"),
        el("p.hint", {}, "Task, notes and checkpoints: what the next window begins with."),
      ),
      el("div.carried-body", {}, this.#task, this.#notes, this.#checkpoints, this.#delegations),
    );
  }

  /** Each part may be missing: it was not read yet. */
  show({ task, notes, checkpoints, summary }) {
    if (task !== undefined) this.#part("task", this.#task, task, () => taskParts(task));
    if (notes !== undefined) this.#part("notes", this.#notes, notes, () => noteParts(notes));
    if (checkpoints !== undefined)
      this.#part("checkpoints", this.#checkpoints, checkpoints, () => this.#checkpointParts(checkpoints));
    const delegations = summary.delegations ?? [];
    this.#delegations.hidden = delegations.length === 0 && summary.parent === null;
    this.#part("delegations", this.#delegations, [delegations, summary.parent], () =>
      this.#delegationParts(delegations, summary.parent),
    );
  }

  #part(name, node, answer, make) {
    const key = JSON.stringify(answer);
    if (this.#shown.get(name) === key) return;
    this.#shown.set(name, key);
    node.replaceChildren(...make().filter((part) => part !== null));
  }

  #checkpointParts({ checkpoints, saved }) {
    const head = el(
      "h3",
      {},
      "Checkpoints ",
      el(
        "span.dim.num",
        {},
        saved > checkpoints.length ? `${whole(checkpoints.length)} of ${whole(saved)} kept` : whole(saved),
      ),
    );
    if (checkpoints.length === 0) return [head, el("p.dim", {}, "None was saved yet.")];
    const lines = checkpoints.map((checkpoint) => {
      const { checkpoint_id: id, window_number: window, turn, reason, bytes, state_version: version } = checkpoint;
      const view = el(
        "button.button.small",
        { type: "button", "aria-label": `Read checkpoint ${id}`, on: { click: () => this.#read(id) } },
        "Read",
      );
      return el(
        "li",
        {},
        el("span.mono", {}, id),
        el(
          "span.num.dim",
          {},
          `window ${window}, turn ${turn}, ${plain(reason)}, ${compact(bytes)} bytes, version ${version}`,
        ),
        view,
      );
    });
    return [head, el("ul.carried-list", { tabindex: "0" }, ...lines)];
  }

  #delegationParts(delegations, parent) {
    const lines = delegations.map(
      ({ delegation_id: id, child_session_id: child, title, status, budget_tokens: budget }) =>
        el(
          "li",
          {},
          el("a.anchor.mono", { href: this.#app.href(["session", child]) }, child),
          el("span", {}, title),
          el("span.num.dim", {}, `${id}, ${status}, may take in ${compact(budget)} tok`),
        ),
    );
    const of =
      parent === null
        ? null
        : el(
            "p",
            {},
            "Works for ",
            el("a.anchor.mono", { href: this.#app.href(["session", parent.session_id]) }, parent.session_id),
          );
    return [el("h3", {}, "Delegations"), of, el("ul.carried-list", { tabindex: "0" }, ...lines)];
  }

  async #read(id) {
    try {
      const { checkpoint, markdown } = await this.#call("checkpoint.get", { checkpoint_id: id, format: "markdown" });
      const hint = `Saved at turn ${checkpoint.turn} in window ${checkpoint.window_number}, ${plain(checkpoint.reason)}, ${compact(checkpoint.bytes)} bytes.`;
      showTexts({ title: `Checkpoint ${id}`, hint, texts: [["Checkpoint", markdown]] });
    } catch (error) {
      showTexts({
        title: `Checkpoint ${id} could not be read`,
        hint: `${error.message} (${error.code ?? error.reason})`,
        texts: [],
      });
    }
  }
}

function taskParts(task) {
  const head = el("h3", {}, "Task");
  const { goal, constraints, subtasks, decisions, open_issues: issues, next_step: next } = task;
  const isEmpty = goal === null && subtasks.length + constraints.length + decisions.length + issues.length === 0;
  if (isEmpty) return [head, el("p.dim", {}, "The agent stated none.")];
  const list = (name, lines) =>
    lines.length === 0 ? null : el("div", {}, el("h4", {}, name), el("ul.plain-list", {}, ...lines));
  return [
    head,
    goal === null ? null : el("p.goal", {}, goal),
    next === null ? null : el("p", {}, el("b", {}, "Next step: "), next),
    list(
      "Rules",
      constraints.map((text) => el("li", {}, text)),
    ),
    list(
      "Subtasks",
      subtasks.map(({ title, status }) => el("li", {}, title, " ", el("span.dim", {}, plain(status)))),
    ),
    list(
      "Decisions",
      decisions.map(({ decision }) => el("li", {}, decision)),
    ),
    list(
      "Open issues",
      issues.map((text) => el("li", {}, text)),
    ),
  ];
}

function noteParts({ notes, total, budget }) {
  const used = budget?.used === undefined ? "" : `, ${compact(budget.used)} tok`;
  const head = el("h3", {}, "Notes ", el("span.dim.num", {}, `${whole(total)}${used}`));
  if (notes.length === 0) return [head, el("p.dim", {}, "The agent wrote none.")];
  const lines = notes.map(({ note_id: id, category, importance, text, turn }) =>
    el(
      "li.note",
      {},
      el("p", {}, text),
      el("span.num.dim", {}, `${id}, ${plain(category)}, ${importance}, turn ${turn}`),
    ),
  );
  return [head, el("ul.carried-list", { tabindex: "0", "aria-label": count(notes.length, "note") }, ...lines)];
}
