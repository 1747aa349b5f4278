import { el } from "../../draw/dom.js";
import { shortened } from "../../draw/names.js";
import { Form } from "./form.js";
import { failure } from "./panel.js";
import { Progress } from "./progress.js";
import { replayAsked, unknownReplay } from "./replay-asked.js";
import { Results } from "./results.js";
import { ShadowPanel } from "./shadow.js";

const POLL_MS = 500;
const QUIET_MS = 150;

/** Policies against each other on the sessions of this daemon: what they would have kept, and at what cost. */
export const open = (root, app) => new LabScreen(root, app);

class LabScreen {
  #app;
  #lead = el("section.lead", {}, el("h1"), el("p.hint"));
  #formBox = el("div.lab-top");
  #error = el("div");
  /** What the address names and is not there. */
  #notice = el("div.lab-notice", { role: "status" });
  #resultBox = el("div.lab-results");
  #progress;
  #results;
  #shadow = null;
  #form = null;
  #catalogue = null;
  /** The replay that is shown or awaited, as replay.get answered it. */
  #replay = null;
  /** The run that the address named and the replay does not have; null: none. */
  #unknownRun = null;
  #timer = 0;
  #closed = false;

  constructor(root, app) {
    this.#app = app;
    this.#progress = new Progress(app, () => this.#cancel());
    this.#results = new Results(app, (id) => this.#chooseRun(id));
    this.#say(TITLE, ABOUT);
    root.append(this.#lead, this.#formBox, this.#progress.node, this.#notice, this.#error, this.#resultBox);
    if (!app.can("operator")) {
      this.#resultBox.append(el("p.hint", {}, "Replays and shadow figures need a token with the scope operator."));
      return;
    }
    this.#shadow = new ShadowPanel(app);
    root.append(this.#shadow.node);
    this.#begin();
  }

  paint() {
    this.#form?.offer([...this.#app.fleet.sessions.values()]);
    this.#drawEmpty();
  }

  figures() {
    this.#shadow?.read();
  }

  query(choices) {
    const replay = choices.get("replay");
    if (this.#form !== null && replay !== null && replay !== this.#replay?.replay_id) return this.#read(replay);
    const run = choices.get("run");
    if (this.#replay?.status === "done" && run !== null && run !== this.#results.run) this.#chooseRun(run);
  }

  key(event) {
    const isTaken = (event.key === "j" || event.key === "k") && this.#results.key(event);
    if (isTaken) this.#app.say(this.#results.spoken());
    return isTaken;
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#shadow?.close();
    this.#results.close();
  }

  async #begin() {
    this.#error.replaceChildren();
    try {
      const list = await this.#app.call("replay.list");
      if (this.#closed) return;
      this.#catalogue = list;
      this.#form = new Form(this.#app, list, (request) => this.#run(request));
      this.#formBox.replaceChildren(this.#form.node);
      this.paint();
      const { replay, isUnknown } = replayAsked(list.replays, this.#app.query);
      if (isUnknown) this.#showUnknown();
      else if (replay !== undefined) await this.#read(replay.replay_id);
    } catch (error) {
      this.#fail("What can be replayed could not be read.", error, () => this.#begin());
    }
  }

  async #run(request) {
    this.#error.replaceChildren();
    this.#form.busy = true;
    try {
      const { replay_id } = await this.#app.call("replay.run", request);
      if (this.#closed) return;
      this.#unknownRun = null;
      this.#app.setQuery({ run: null, replay: replay_id });
      await this.#read(replay_id);
    } catch (error) {
      this.#form.busy = false;
      this.#fail("The replay could not begin.", error, null);
    }
  }

  async #read(replay_id) {
    clearTimeout(this.#timer);
    const run = this.#app.query.get("run");
    try {
      const replay = await this.#get(replay_id, run);
      if (this.#closed) return;
      this.#show(replay);
    } catch (error) {
      this.#form.busy = false;
      this.#progress.hide();
      if (error.reason === "replay_not_found" || error.reason === "invalid_params") return this.#showUnknown(replay_id);
      this.#fail("The replay could not be read.", error, error.retryable ? () => this.#read(replay_id) : null);
    }
  }

  /** No other replay is shown as if it were the one that was named. */
  #showUnknown(name = this.#app.query.get("replay")) {
    if (this.#closed) return;
    this.#replay = null;
    this.#say(TITLE, ABOUT);
    this.#resultBox.replaceChildren();
    this.#notice.replaceChildren(unknownReplay(this.#app, name, this.#catalogue.replays));
    this.paint();
  }

  /** With that run's timelines; of a run that the replay does not have it is said, and the address forgets it. */
  async #get(replay_id, run) {
    try {
      return await this.#app.call("replay.get", { replay_id, ...(run === null ? {} : { run }) });
    } catch (error) {
      if (run === null || error.reason !== "invalid_params") throw error;
      const replay = await this.#app.call("replay.get", { replay_id });
      this.#app.setQuery({ run: null });
      this.#unknownRun = run;
      return replay;
    }
  }

  #show(replay) {
    const wasRunning = this.#replay === null || this.#replay.status === "running";
    this.#replay = replay;
    this.#error.replaceChildren();
    this.#drawUnknownRun();
    const isRunning = replay.status === "running";
    this.#form.busy = isRunning;
    const [a, b] = replay.policies_asked;
    if (wasRunning) this.#form.show({ a, b, window: replay.window });
    this.#progress.show(replay);
    if (isRunning) {
      this.#timer = setTimeout(() => this.#read(replay.replay_id), POLL_MS);
      return;
    }
    if (replay.status === "done") {
      const { sentence, detail } = this.#results.show(replay, this.#catalogue.policies);
      this.#say(sentence, detail);
      this.#resultBox.replaceChildren(this.#results.node);
      if (wasRunning) this.#app.say(sentence);
    } else if (replay.status === "failed") {
      const { reason, message } = replay.error;
      this.#fail("The replay failed.", { message, reason, code: null, retryable: false }, null);
    }
  }

  #drawUnknownRun() {
    const run = this.#unknownRun;
    if (run === null) this.#notice.replaceChildren();
    else this.#notice.replaceChildren(el("p", {}, `The run ${shortened(run, 40)} is not of this replay.`));
  }

  async #cancel() {
    try {
      await this.#app.call("replay.cancel", { replay_id: this.#replay.replay_id });
      await this.#read(this.#replay.replay_id);
    } catch (error) {
      this.#fail("The replay could not be ended.", error, null);
    }
  }

  async #chooseRun(id) {
    this.#unknownRun = null;
    this.#app.setQuery({ run: id });
    this.#drawUnknownRun();
    this.#results.choose(id);
    const { replay_id } = this.#replay;
    try {
      const replay = await this.#get(replay_id, id);
      if (this.#closed || this.#app.query.get("run") !== id) return;
      this.#results.showTimeline(replay.timeline);
    } catch (error) {
      this.#results.failTimeline(failure("The run's timelines could not be read.", error, () => this.#chooseRun(id)));
    }
  }

  /** No session to replay and nothing replayed: how to come by one. */
  #drawEmpty() {
    if (this.#form === null || this.#replay !== null) return;
    const isEmpty = this.#app.fleet.sessions.size === 0;
    this.#form.busy = isEmpty;
    if (!isEmpty) return this.#resultBox.replaceChildren();
    if (this.#resultBox.firstChild === null) this.#resultBox.append(empty());
  }

  #say(sentence, detail) {
    const [head, hint] = this.#lead.children;
    head.textContent = sentence;
    hint.textContent = detail;
  }

  #fail(what, error, again) {
    if (this.#closed) return;
    const node = failure(what, error, again);
    setTimeout(() => !this.#closed && this.#error.replaceChildren(node), QUIET_MS);
  }
}

const TITLE = "Choose a policy on your own runs before you trust it";
const ABOUT =
  "Open sessions are replayed under each policy by the same core that serves the hooks. Nothing live changes.";

function empty() {
  return el(
    "section.panel.lab-empty",
    {},
    el("h2", {}, "No session is open"),
    el(
      "p",
      {},
      "What is replayed are this daemon's own sessions. Open some from your agents, or let the demo's agents work:",
    ),
    el("pre", { tabindex: "0" }, el("code", {}, "contextd demo")),
  );
}
