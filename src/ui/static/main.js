import { drawAlerts } from "./alerts.js";
import { slot } from "./dom.js";
import { EventTail } from "./event-tail.js";
import { Fleet, situation } from "./fleet.js";
import { drawHeadline } from "./headline.js";
import { Link } from "./link.js";
import { call, readFleet } from "./rpc.js";
import { SessionTable } from "./session-table.js";
import { EventStream } from "./stream.js";
import { Tiles } from "./tiles.js";

/** Events from before the page was opened that the tail begins with, as far as the daemon still holds them. */
const HISTORY = 300;
const FIGURES_EVERY_MS = 10_000;
const TRY_AGAIN_MS = 5_000;
/** A list is read again for sessions that it did not have, at most this often. */
const LIST_EVERY_MS = 1_500;

const main = document.getElementById("main");
const fleet = new Fleet();
const link = new Link(() => stream?.tryNow());

let token = null;
let stream = null;
let screen = null;
let report = null;
/** Events that arrive while the list is read: applied after it, those that it does not contain yet. */
let held = null;
let seededAt = 0;
let listReadAt = 0;
let filter = "";
let repaintAsked = false;
let arrivedSinceRepaint = 0;

function show(name) {
  const root = document.importNode(document.getElementById(name).content, true);
  main.replaceChildren(root);
  screen = { name };
  return main;
}

function showFleet() {
  if (screen?.name === "fleet") return;
  const root = show("fleet");
  screen.table = new SessionTable(slot(root, "table"), slot(root, "count"), slot(root, "more"));
  screen.tail = new EventTail(slot(root, "tail"), slot(root, "pause"), slot(root, "tail-hint"));
  screen.tiles = new Tiles(slot(root, "tiles"));
  const field = slot(root, "filter");
  field.value = filter;
  field.addEventListener("input", () => {
    filter = field.value.trim().toLowerCase();
    askForRepaint();
  });
  for (const event of earlier) screen.tail.add(event, false);
}

function showEmpty() {
  if (screen?.name === "empty") return;
  const root = show("empty");
  const address = new URL("rpc", document.baseURI).href;
  slot(root, "ready").textContent =
    `contextd is ready. Call it at ${address}; this page changes by itself at the first turn.`;
}

function showAuth(wrong) {
  stream?.stop();
  stream = null;
  const root = show("auth");
  document.body.dataset.state = "auth";
  const field = root.querySelector("#token");
  if (wrong) {
    const note = slot(root, "wrong");
    note.textContent = "The daemon does not take this token for this page.";
    note.hidden = false;
    field.setAttribute("aria-invalid", "true");
  }
  slot(root, "form").addEventListener("submit", (event) => {
    event.preventDefault();
    token = field.value.trim();
    start();
  });
  field.focus();
}

function showError(error) {
  const root = show("error");
  document.body.dataset.state = "error";
  slot(root, "what").textContent = `${error.message} ${error.retryable ? "Trying again by itself." : ""}`;
  slot(root, "code").textContent = error.code === null ? error.reason : `${error.code} ${error.reason}`;
  slot(root, "again").addEventListener("click", start);
  if (error.retryable) setTimeout(() => screen?.name === "error" && start(), TRY_AGAIN_MS);
}

/** Events for a tail that is not on the page yet: the page may have begun empty. */
const earlier = [];

function take(event) {
  const isNew = event.sequence > seededAt;
  if (isNew) arrivedSinceRepaint++;
  earlier.push(event);
  if (earlier.length > HISTORY) earlier.shift();
  screen?.tail?.add(event, isNew);
  if (held !== null) held.push(event);
  else if (isNew) fleet.apply(event);
  askForRepaint();
}

/** Reads the list anew and applies what happened meanwhile. Throws CallError. */
async function seed() {
  held ??= [];
  listReadAt = Date.now();
  try {
    const read = await readFleet(token);
    report = read.report;
    seededAt = report.events.last_sequence;
    fleet.seed(read.sessions, report.alerts);
  } finally {
    const waiting = held ?? [];
    held = null;
    for (const event of waiting) if (event.sequence > seededAt) fleet.apply(event);
  }
  if (fleet.sessions.size === 0) showEmpty();
  else showFleet();
  screen.tiles?.draw(report);
  document.getElementById("build").textContent = report.version;
  askForRepaint();
}

async function start() {
  stream?.stop();
  stream = null;
  try {
    await seed();
  } catch (error) {
    if (error.reason === "unauthorized") showAuth(token !== null);
    else showError(error);
    return;
  }
  stream = new EventStream(
    { onEvent: take, onResync: reseed, onUp: () => link.up(), onDown: lost },
    token,
    seededAt,
    HISTORY,
  );
}

/** The list, after events were missed or a session appeared. A failure is left to the next occasion. */
async function reseed() {
  if (held !== null) return;
  try {
    await seed();
  } catch (error) {
    if (error.reason === "unauthorized") showAuth(true);
  }
}

function lost({ retryAt, refused }) {
  link.down(retryAt);
  link.draw(stream?.cursor ?? 0);
  // A page is not told why a handshake failed; a call is.
  if (refused) reseed();
}

function askForRepaint() {
  if (repaintAsked) return;
  repaintAsked = true;
  requestAnimationFrame(() => {
    repaintAsked = false;
    paint();
  });
}

function matches(session) {
  if (filter === "") return true;
  const { session_id, agent, model, profile } = session;
  return `${session_id} ${agent} ${model} ${profile}`.toLowerCase().includes(filter);
}

function paint() {
  if (arrivedSinceRepaint > 0) link.arrived(arrivedSinceRepaint);
  arrivedSinceRepaint = 0;
  if (screen?.name !== "fleet") return;
  const sessions = [...fleet.sessions.values()];
  drawHeadline(slot(main, "headline"), slot(main, "subline"), situation(sessions));
  screen.table.show(sessions.filter(matches), sessions.length);
  screen.tail.draw();
  drawAlerts(slot(main, "alerts-panel"), slot(main, "alert-count"), slot(main, "alerts"), [...fleet.alerts.values()]);
}

async function readFigures() {
  if (stream === null) return;
  try {
    report = await call("status.report", {}, token);
    screen.tiles?.draw(report);
  } catch (error) {
    if (error.reason === "unauthorized") showAuth(true);
    // Otherwise the figures stay as they are; the stream's state says whether the daemon is there.
  }
}

addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
  const field = slot(main, "filter");
  if (field === null) return;
  event.preventDefault();
  field.focus();
});
setInterval(() => {
  if (stream === null) return;
  link.draw(stream.cursor);
  const emptied = screen?.name === "fleet" && fleet.sessions.size === 0;
  if ((fleet.unknown || emptied) && Date.now() - listReadAt > LIST_EVERY_MS) reseed();
  askForRepaint();
}, 1_000);
setInterval(readFigures, FIGURES_EVERY_MS);
start();
