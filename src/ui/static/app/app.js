import { forgetColours } from "../draw/colours.js";
import { say, setText } from "../draw/dom.js";
import { clockTimeInZone } from "../draw/format.js";
import { addressOf, readAddress } from "./address.js";
import { confirmAction } from "./dialogs.js";
import { Fleet } from "./fleet.js";
import { Guard } from "./guard.js";
import { Jump } from "./jump.js";
import { Keys } from "./keys.js";
import { Link } from "./link.js";
import { Pace } from "./pace.js";
import { call, readFleet } from "./rpc.js";
import { Stage } from "./stage.js";
import { showAuth, showError } from "./states.js";
import { EventStream } from "./stream.js";
import { Theme } from "./theme.js";
import { Tip } from "./tip.js";

/** Events from before the page was opened that tails begin with, as far as the daemon still holds them. */
const HISTORY = 300;
const FIGURES_EVERY_MS = 10_000;
const TRY_AGAIN_MS = 5_000;
/** A list is read again for sessions that it did not have, at most this often. */
const LIST_EVERY_MS = 1_500;

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
  tip = new Tip();
  theme = new Theme(() => this.#themed());
  jump = new Jump(this);
  say = say;
  confirm = (question) => confirmAction(question, this.guard);
  /** A moment as 14:02:11 GMT+2. */
  time = clockTimeInZone;

  #stage = new Stage(this);
  #pace = new Pace(() => this.#paint());
  #link = new Link(() => this.#stream?.tryNow());
  /** Whether actions can be done now; every button that acts is given to it. */
  guard = new Guard(this, this.#link);
  #keys = new Keys(this);
  #token = null;
  #stream = null;
  /** Set while no screen may be shown: the token is missing, or nothing could be read. */
  #halted = null;
  /** Events that arrive while the list is read: applied after it, those that it does not contain yet. */
  #held = null;
  #listReadAt = 0;
  /** Events were missed, and what they changed has not been read yet. */
  #stale = false;
  #arrived = 0;

  start() {
    document.getElementById("bar-theme").addEventListener("click", () => this.theme.toggle());
    document.getElementById("bar-keys").addEventListener("click", () => this.#keys.help());
    addEventListener("hashchange", () => this.#moved());
    document.querySelector(".skip").addEventListener("click", (event) => {
      // What stands behind the # is the place within the page: the link's own would be another one.
      event.preventDefault();
      this.#stage.focus();
    });
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

  /** The open screen's own object, as its `open` returned it; null while there is none. */
  get screen() {
    return this.#stage.screen;
  }

  /** The session that was looked at last; null before the first. */
  get lastSession() {
    return this.#stage.lastSession;
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
    this.#pace.request();
  }

  /** For screens: what their address names does not exist for this reader. */
  showNotFound(what) {
    this.#stage.showNotFound(what);
  }

  async #begin() {
    this.#halted = null;
    this.#stream?.stop();
    this.#stream = null;
    this.#stale = false;
    // Beside the lists, not behind them.
    this.#stage.preload(this.address);
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
        onResync: () => this.#missed(),
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
      const { report, sessions, ...known } = await readFleet(this.#token);
      this.report = report;
      this.seededAt = report.events.last_sequence;
      this.fleet.seed(sessions, report.alerts, known);
    } finally {
      const waiting = this.#held ?? [];
      this.#held = null;
      for (const event of waiting) if (event.sequence > this.seededAt) this.fleet.apply(event);
    }
    setText(document.getElementById("build"), this.report.version);
    this.screen?.figures?.();
    this.repaint();
  }

  /** Events were missed: all is read anew, as often as it takes. */
  #missed() {
    this.#stale = true;
    this.#reseed();
  }

  /** The list, after events were missed or a session appeared. What fails is tried again by `#everySecond`. */
  async #reseed() {
    if (this.#held !== null) return;
    const wasStale = this.#stale;
    this.#stale = false;
    try {
      await this.#seed();
      this.screen?.resync?.();
    } catch (error) {
      this.#stale ||= wasStale;
      if (error.reason === "unauthorized") this.#askForToken(true);
    }
  }

  #take(event) {
    const isNew = event.sequence > this.seededAt;
    if (isNew) {
      this.#arrived++;
      this.#pace.count();
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
    if (this.#halted === null) this.#stage.show(this.address);
  }

  #askForToken(wrong) {
    this.#halt("auth");
    showAuth(this.#stage.root, {
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
    showError(this.#stage.root, error, again);
    if (error.retryable) setTimeout(again, TRY_AGAIN_MS);
  }

  #halt(state) {
    this.#stream?.stop();
    this.#stream = null;
    this.#stage.close();
    document.body.dataset.state = state;
    this.#link.stopped(state === "auth" ? "No token" : "Not connected");
    this.#halted = { state };
    return this.#halted;
  }

  #paint() {
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
    this.#pace.tick();
    if (this.#stream === null) return;
    this.#link.draw(this.#stream.cursor);
    this.guard.update();
    const isDue = Date.now() - this.#listReadAt > LIST_EVERY_MS;
    if ((this.fleet.unknown || this.#stale) && isDue) this.#reseed();
    this.repaint();
  }

  #themed() {
    forgetColours();
    dispatchEvent(new Event("themechange"));
    this.repaint();
  }
}
