import { forgetColours } from "../draw/colours.js";
import { say, setText } from "../draw/dom.js";
import { clockTime } from "../draw/format.js";
import { SCREENS } from "../screens/index.js";
import { addressOf, match, readAddress } from "./address.js";
import { confirmAction } from "./dialogs.js";
import { Fleet } from "./fleet.js";
import { Guard } from "./guard.js";
import { Jump } from "./jump.js";
import { Keys } from "./keys.js";
import { Link } from "./link.js";
import { call, readFleet } from "./rpc.js";
import { showAuth, showError, showNotFound } from "./states.js";
import { EventStream } from "./stream.js";
import { Theme } from "./theme.js";
import { Tip } from "./tip.js";

/** Events from before the page was opened that tails begin with, as far as the daemon still holds them. */
const HISTORY = 300;
const FIGURES_EVERY_MS = 10_000;
const TRY_AGAIN_MS = 5_000;
/** A list is read again for sessions that it did not have, at most this often. */
const LIST_EVERY_MS = 1_500;
/** Frames a second while the page is hidden or the stream is busy. */
const BUSY_EVENTS_PER_S = 200;
const BUSY_FRAME_MS = 100;

/**
 * The page: what is known of the fleet, kept live, and the one screen that is open. Screens get this object and use
 * what is public here; the contract of a screen is told in screens/index.js.
 */
export class App {
  fleet = new Fleet();
  /** The last answer of `status.report`. */
  report = null;
  /** Events of the last while, oldest first, for tails that begin late. */
  recent = [];
  /** Sequence up to which the lists were read: later events are news. */
  seededAt = 0;
  address = readAddress(location.hash);
  /** The open screen's own object, as its `open` returned it. */
  screen = null;
  tip = new Tip();
  theme = new Theme(() => this.#themed());
  jump = new Jump(this);
  say = say;
  confirm = (question) => confirmAction(question, this.guard);
  time = clockTime;

  #main = document.getElementById("main");
  #link = new Link(() => this.#stream?.tryNow());
  /** Whether actions can be done now; every button that acts is given to it. */
  guard = new Guard(this, this.#link);
  #keys = new Keys(this);
  #token = null;
  #stream = null;
  /** The door of the open screen with its address, to tell a change of screen from one of choices. */
  #opened = null;
  /** Set while no screen may be shown: the token is missing, or nothing could be read. */
  #halted = null;
  /** Events that arrive while the list is read: applied after it, those that it does not contain yet. */
  #held = null;
  #listReadAt = 0;
  #painting = false;
  #paintedAt = 0;
  #arrived = 0;
  /** Events of the second that runs and of the one before it. */
  #rate = [0, 0];

  start() {
    document.getElementById("bar-theme").addEventListener("click", () => this.theme.toggle());
    document.getElementById("bar-keys").addEventListener("click", () => this.#keys.help());
    addEventListener("hashchange", () => this.#moved());
    setInterval(() => this.#everySecond(), 1_000);
    setInterval(() => this.#readFigures(), FIGURES_EVERY_MS);
    this.#begin();
  }

  /** One JSON-RPC call with the reader's token. Throws CallError. */
  call(method, params = {}) {
    return call(method, params, this.#token);
  }

  /** Whether the reader's token has a scope; without authentication everybody has all. */
  can(scope) {
    const scopes = this.report?.scopes;
    return scopes === undefined || scopes.includes("admin") || scopes.includes(scope);
  }

  /** Whether a session is known to be closed: the page has all open ones, and this is none of them. */
  isClosed(session) {
    return this.fleet.isWhole && !this.fleet.unknown && !this.fleet.sessions.has(session);
  }

  get query() {
    return this.address.query;
  }

  /** `#/…` of names and choices. */
  href(names, choices) {
    return addressOf(names, choices);
  }

  navigate(names, choices) {
    location.hash = addressOf(names, choices);
  }

  /** Puts choices into the address without a step of the browser's history; null takes one out. */
  setQuery(changes) {
    const next = { ...Object.fromEntries(this.address.query), ...changes };
    history.replaceState(null, "", addressOf(this.address.names, next));
    this.address = readAddress(location.hash);
  }

  /** Asks for one painting of the screen in the next frame. */
  repaint() {
    if (this.#painting) return;
    this.#painting = true;
    const paint = () => {
      this.#painting = false;
      this.#paint();
    };
    const isBusy = document.hidden || Math.max(...this.#rate) > BUSY_EVENTS_PER_S;
    const wait = isBusy ? this.#paintedAt + BUSY_FRAME_MS - performance.now() : 0;
    if (wait > 0) setTimeout(paint, wait);
    else requestAnimationFrame(paint);
  }

  async #begin() {
    this.#halted = null;
    this.#stream?.stop();
    this.#stream = null;
    try {
      await this.#seed();
    } catch (error) {
      if (error.reason === "unauthorized") this.#askForToken(this.#token !== null);
      else this.#showFailure(error);
      return;
    }
    this.#stream = new EventStream(
      {
        onEvent: (event) => this.#take(event),
        onResync: () => this.#reseed(),
        onUp: () => {
          this.#link.up();
          this.guard.update();
        },
        onDown: (how) => this.#lost(how),
      },
      this.#token,
      this.seededAt,
      HISTORY,
    );
    this.#moved();
  }

  /** Reads the list anew and applies what happened meanwhile. Throws CallError. */
  async #seed() {
    this.#held ??= [];
    this.#listReadAt = Date.now();
    try {
      const { report, sessions, isWhole } = await readFleet(this.#token);
      this.report = report;
      this.seededAt = report.events.last_sequence;
      this.fleet.seed(sessions, report.alerts, isWhole);
    } finally {
      const waiting = this.#held ?? [];
      this.#held = null;
      for (const event of waiting) if (event.sequence > this.seededAt) this.fleet.apply(event);
    }
    setText(document.getElementById("build"), this.report.version);
    this.screen?.figures?.();
    this.repaint();
  }

  /** The list, after events were missed or a session appeared. A failure is left to the next occasion. */
  async #reseed() {
    if (this.#held !== null) return;
    try {
      await this.#seed();
      this.screen?.resync?.();
    } catch (error) {
      if (error.reason === "unauthorized") this.#askForToken(true);
    }
  }

  #take(event) {
    const isNew = event.sequence > this.seededAt;
    if (isNew) {
      this.#arrived++;
      this.#rate[0]++;
    }
    this.recent.push(event);
    if (this.recent.length > HISTORY) this.recent.shift();
    if (this.#held !== null) this.#held.push(event);
    else if (isNew) this.fleet.apply(event);
    this.screen?.apply?.(event, isNew);
    this.repaint();
  }

  #lost({ retryAt, refused }) {
    this.#link.down(retryAt);
    this.#link.draw(this.#stream?.cursor ?? 0);
    this.guard.update();
    // A page is not told why a handshake failed; a call is.
    if (refused) this.#reseed();
  }

  /** The address changed: another screen, or another choice within it. */
  #moved() {
    this.address = readAddress(location.hash);
    if (this.#halted !== null) return;
    const names = this.address.names.length === 0 ? ["fleet"] : this.address.names;
    const path = names.join("\n");
    if (this.#opened?.path === path && this.screen?.query !== undefined) {
      this.screen.query(this.address.query);
      this.repaint();
      return;
    }
    this.#close();
    for (const door of SCREENS) {
      const params = match(door.pattern, names);
      if (params !== null) return this.#open(door, params, path);
    }
    this.#mark(null, "Not found");
    showNotFound(this.#main, "No screen stands at this address.");
  }

  #open(door, params, path) {
    const root = document.createElement("div");
    root.className = `screen ${door.name}-screen`;
    this.#main.replaceChildren(root);
    this.#opened = { path };
    this.#mark(door.tab, door.title(params));
    this.screen = door.open(root, this, params);
    scrollTo(0, 0);
    this.repaint();
  }

  #close() {
    this.tip.hide();
    this.screen?.close?.();
    this.screen = null;
    this.#opened = null;
  }

  /** For screens: what their address names does not exist for this reader. */
  showNotFound(what) {
    this.#close();
    this.#mark(null, "Not found");
    showNotFound(
      this.#main,
      what,
      "It may have been closed, or it belongs to another tenant: the daemon answers both alike.",
    );
  }

  #mark(tab, title) {
    document.title = title === null ? "contextd" : `${title} · contextd`;
    for (const link of document.querySelectorAll(".tabs a")) {
      if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  #askForToken(wrong) {
    this.#halt("auth");
    showAuth(this.#main, {
      wrong,
      onToken: (token) => {
        this.#token = token;
        this.#begin();
      },
    });
  }

  #showFailure(error) {
    const halted = this.#halt("error");
    const again = () => this.#halted === halted && this.#begin();
    showError(this.#main, error, again);
    if (error.retryable) setTimeout(again, TRY_AGAIN_MS);
  }

  #halt(state) {
    this.#stream?.stop();
    this.#stream = null;
    this.#close();
    document.body.dataset.state = state;
    this.#halted = { state };
    return this.#halted;
  }

  #paint() {
    this.#paintedAt = performance.now();
    if (this.#arrived > 0) this.#link.arrived(this.#arrived);
    this.#arrived = 0;
    this.#drawBell();
    this.screen?.paint?.(Date.now());
  }

  #drawBell() {
    const bell = document.getElementById("bar-bell");
    const firing = this.fleet.alerts.size;
    setText(bell.querySelector(".num"), String(firing));
    const words = firing === 1 ? "1 alert fires" : `${firing} alerts fire`;
    if (bell.getAttribute("aria-label") !== words) bell.setAttribute("aria-label", words);
    bell.classList.toggle("quiet", firing === 0);
  }

  async #readFigures() {
    if (this.#stream === null) return;
    try {
      this.report = await call("status.report", {}, this.#token);
      this.screen?.figures?.();
      this.guard.update();
    } catch (error) {
      if (error.reason === "unauthorized") this.#askForToken(true);
      // Otherwise the figures stay as they are; the stream's state says whether the daemon is there.
    }
  }

  #everySecond() {
    this.#rate = [0, this.#rate[0]];
    if (this.#stream === null) return;
    this.#link.draw(this.#stream.cursor);
    this.guard.update();
    const isDue = Date.now() - this.#listReadAt > LIST_EVERY_MS;
    if (this.fleet.unknown && isDue) this.#reseed();
    this.repaint();
  }

  #themed() {
    forgetColours();
    dispatchEvent(new Event("themechange"));
    this.repaint();
  }
}
