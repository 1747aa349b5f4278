import { reasonLine } from "../../../app/guard.js";
import { el } from "../../../draw/dom.js";
import { percent, whole, zoneWord } from "../../../draw/format.js";

/** What an operator may do to the session. Each asks once and says what it costs; a line says why they are off. */
export class Actions {
  node = el("div.session-actions");
  #app;
  #call;
  #summary = null;
  #answer = el("p.answer.dim", { role: "status" });
  #buttons = [];

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
    if (this.#buttons.length === 0) this.#build();
    this.#app.guard.update();
  }

  #build() {
    const why = el("p.why-off.dim", { hidden: "" });
    this.#buttons = [
      this.#button("Save checkpoint", () => this.#saveCheckpoint()),
      this.#button("Open window", () => this.#openWindow()),
      this.#button("Compact now", () => this.#compact(), "primary"),
    ];
    const isClosed = () => this.#summary.closed;
    const tell = reasonLine(why);
    for (const button of this.#buttons) this.#app.guard.button(button, { isClosed, told: tell });
    this.node.replaceChildren(el("div.actions", {}, ...this.#buttons), why, this.#answer);
  }

  #button(name, run, look = "plain") {
    return el(`button.button.${look}`, { type: "button", on: { click: () => this.#run(run) } }, name);
  }

  async #run(run) {
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
