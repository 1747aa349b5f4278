import { el, setText } from "../../draw/dom.js";
import { policyLabel } from "./words.js";

/** How far a replay is, while it runs, with a way to end it; a word on one that was cancelled. */
export class Progress {
  #words = el("p.num");
  #bar = el("progress", { max: "1", value: "0", "aria-label": "Replay" });
  #cancel = el("button.button", { type: "button" }, "Cancel");
  node = el("section.panel.lab-progress", { "aria-label": "Replay under way" });

  constructor(app, onCancel) {
    app.guard.button(this.#cancel);
    this.node.append(this.#words, this.#bar, this.#cancel);
    this.node.hidden = true;
    this.#cancel.addEventListener("click", onCancel);
  }

  hide() {
    this.node.hidden = true;
  }

  show({ status, progress, policies_asked, seconds }) {
    this.node.hidden = status !== "running" && status !== "cancelled";
    const isRunning = status === "running";
    this.#cancel.hidden = !isRunning;
    this.#bar.hidden = !isRunning;
    if (!isRunning) {
      setText(
        this.#words,
        `Cancelled after ${seconds.toFixed(1)} s, at run ${progress.done + 1} of ${progress.total}.`,
      );
      return;
    }
    const { done, total, run, policy, policies_done } = progress;
    this.#bar.max = total * policies_asked.length;
    this.#bar.value = done * policies_asked.length + policies_done;
    if (run === null) return setText(this.#words, `Summing up ${total} runs, ${seconds.toFixed(0)} s`);
    const at = policy === null ? "reading" : policyLabel(policy);
    this.#words.replaceChildren(
      `Run ${Math.min(done + 1, total)} of ${total}: `,
      el("bdi.mono", {}, run),
      `, ${at}, ${seconds.toFixed(0)} s`,
    );
  }
}
