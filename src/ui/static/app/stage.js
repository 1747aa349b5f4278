import { say } from "../draw/dom.js";
import { SCREENS } from "../screens/index.js";
import { match } from "./address.js";
import { showError, showNotFound } from "./states.js";

/** Time after a screen was opened in which nothing but it is loaded. */
const LOAD_OTHERS_MS = 1_500;

/** The one screen that is open: found by its address, loaded, opened and closed. */
export class Stage {
  /** The open screen's own object, as its `open` returned it; null while there is none. */
  screen = null;
  /** The session that was looked at last; null before the first. */
  lastSession = null;

  #app;
  #main = document.getElementById("main");
  /** The place of the screen that is open or being loaded, to tell another screen from another choice within it. */
  #opened = null;
  #hasArrived = false;
  #loading = null;

  constructor(app) {
    this.#app = app;
  }

  /** Where the states are shown in which there is no screen. */
  get root() {
    return this.#main;
  }

  focus() {
    this.#main.focus();
  }

  /** Begins to load the screen of an address. What fails is told when it is shown. */
  preload(address) {
    doorAt(namesOf(address))
      ?.door.load()
      .catch(() => undefined);
  }

  /** Shows what an address names: another screen, or another choice within the one that is open. */
  show(address) {
    const names = namesOf(address);
    const path = names.join("\n");
    if (this.#opened?.path === path && this.screen?.query !== undefined) {
      this.screen.query(address.query);
      this.#app.repaint();
      return;
    }
    this.close();
    const found = doorAt(names);
    if (found !== null) {
      this.#open(found.door, found.params, path);
      return;
    }
    this.#mark(null, "Not found");
    this.#arrive("Not found");
    showNotFound(this.#main, "No screen stands at this address.");
  }

  close() {
    this.#app.tip.hide();
    this.screen?.close?.();
    this.screen = null;
    this.#opened = null;
  }

  /** What the address of the open screen names does not exist for this reader. */
  showNotFound(what) {
    this.close();
    this.#mark(null, "Not found");
    showNotFound(
      this.#main,
      what,
      "It may never have been opened, or it belongs to another tenant: the daemon answers both alike.",
    );
  }

  async #open(door, params, path) {
    const root = document.createElement("div");
    root.className = `screen ${door.name}-screen`;
    this.#main.replaceChildren(root);
    const opened = { path };
    this.#opened = opened;
    const title = door.title(params);
    this.#mark(door.tab, title);
    this.#arrive(title ?? "Fleet");
    if (params.session !== undefined) this.lastSession = params.session;
    let module;
    try {
      module = await door.load();
    } catch (error) {
      if (this.#opened === opened) this.#notLoaded(error);
      return;
    }
    if (this.#opened !== opened) return;
    this.screen = module.open(root, this.#app, params);
    this.#app.repaint();
    this.#loadOthers();
  }

  /** The reader is taken to the top of another screen, by eye, by keyboard and by ear; at the first one he is there. */
  #arrive(title) {
    scrollTo(0, 0);
    if (this.#hasArrived) {
      this.#main.focus({ preventScroll: true });
      say(title);
    }
    this.#hasArrived = true;
  }

  /** The modules of the screens that were not opened yet, while there is a daemon to ask for them. */
  #loadOthers() {
    clearTimeout(this.#loading);
    this.#loading = setTimeout(() => {
      for (const { load } of SCREENS) load().catch(() => undefined);
    }, LOAD_OTHERS_MS);
  }

  #notLoaded(error) {
    const told = { message: "Its files could not be read from the daemon.", code: null, reason: error.message };
    // A module that failed to load is not asked for again by the same page.
    showError(this.#main, told, () => location.reload(), "This screen could not be loaded");
  }

  #mark(tab, title) {
    document.title = title === null ? "contextd" : `${title} · contextd`;
    for (const link of document.querySelectorAll(".tabs a")) {
      if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}

/** Names of the place; without any it is the fleet. */
function namesOf({ names }) {
  return names.length === 0 ? ["fleet"] : names;
}

/** The screen at a place, with what its names hold; null where none stands. */
function doorAt(names) {
  for (const door of SCREENS) {
    const params = match(door.pattern, names);
    if (params !== null) return { door, params };
  }
  return null;
}
