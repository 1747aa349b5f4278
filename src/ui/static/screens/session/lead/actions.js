import { el } from "../../../draw/dom.js";
import { percent, whole, zoneWord } from "../../../draw/format.js";

/**
 * What an operator may do to the session. Each asks once and says what it costs; without the scope there are none, and
 * of a closed session none can be done: a line says why.
 */
export class Actions {
  node = el("div.session-actions");
  #app;
  #call;
  #summary = null;
  #why = el("p.dim", { id: "session-actions-why" });
  #answer = el("p.answer.dim", { role: "status" });
  #drawn = null;

  /** `onDone()` after each, so that what it changed is read. */
  constructor(app, session, onDone) {
    this.#app = app;
    this.#call = async (method) => {
      const answer = await app.call(method, { session_id: session });
      onDone();
      return answer;
    };
  }

  show(summary) {
    this.#summary = summary;
    const may = this.#app.can("operator");
    const key = !may ? "none" : summary.closed ? "closed" : "all";
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.node.replaceChildren(...this.#buttons(key), this.#answer);
  }

  #buttons(key) {
    if (key === "none") return [el("p.dim", {}, "Actions need the scope operator, which this token does not have.")];
    const buttons = [
      this.#button("Save checkpoint", () => this.#saveCheckpoint()),
      this.#button("Open window", () => this.#openWindow()),
      this.#button("Compact now", () => this.#compact(), "primary"),
    ];
    if (key === "all") return [el("div.actions", {}, ...buttons)];
    this.#why.textContent = "The session is closed: it can be read, and takes no change any more.";
    for (const button of buttons) {
      button.disabled = true;
      button.setAttribute("aria-describedby", this.#why.id);
    }
    return [el("div.actions", {}, ...buttons), this.#why];
  }

  #button(name, run, look = "plain") {
    return el(`button.button.${look}`, { type: "button", on: { click: () => this.#guarded(run) } }, name);
  }

  async #guarded(run) {
    try {
      const told = await run();
      if (told !== null) this.#tell(told);
    } catch (error) {
      this.#tell(`Not done: ${error.message} (${error.code ?? error.reason})`);
    }
  }

  #tell(text) {
    this.#answer.textContent = text;
    this.#app.say(text);
  }

  #now() {
    const { tokens, utilization, zone } = this.#summary;
    return `It holds ${whole(tokens)} tok now, ${percent(utilization)} of its window: ${zoneWord(zone)}.`;
  }

  async #saveCheckpoint() {
    const go = await this.#app.confirm({
      title: "Save a checkpoint?",
      body: [
        "Writes down what the session knows of its task. The context stays as it is: no tokens, no change of zone, and " +
          "the provider's cache stays warm.",
        "It is written to the journal.",
      ],
      action: "Save checkpoint",
    });
    if (!go) return null;
    const { saved, checkpoint } = await this.#call("checkpoint.save");
    return saved ? `Checkpoint ${checkpoint.checkpoint_id} saved.` : "Nothing has changed since the last checkpoint.";
  }

  async #openWindow() {
    const go = await this.#app.confirm({
      title: "Close this window and open the next?",
      body: [
        `A checkpoint is saved, and the next window begins with what it tells. ${this.#now()}`,
        "All else leaves the context, and the provider's cache is lost: the next prompt is read as fresh.",
        "It is written to the journal. The agent sees it at its next turn.",
      ],
      action: "Open window",
    });
    if (!go) return null;
    const answer = await this.#call("window.open");
    return `Window ${answer.window_number} opened: ${whole(answer.tokens_before)} → ${whole(answer.reading.tokens)} tok.`;
  }

  async #compact() {
    const { next } = this.#summary;
    const plan =
      next === null || next === undefined
        ? "It goes down to the target that its settings name."
        : `About ${whole(next.blocks)} blocks go, down to about ${whole(next.tokens_after)} tok.`;
    const go = await this.#app.confirm({
      title: "Compact the context now?",
      body: [
        `${this.#now()} ${plan}`,
        "The provider's cache is cold behind the first edit: what follows it is written anew, once. Originals can be recalled.",
        "It does not wait for a model. It is written to the journal.",
      ],
      action: "Compact now",
    });
    if (!go) return null;
    const { reason, tokens_before: before, tokens_after: after } = await this.#call("context.compact");
    return reason === null
      ? `Compacted: ${whole(before)} → ${whole(after)} tok.`
      : `Nothing was freed: ${reason.replaceAll("_", " ")}.`;
  }
}
