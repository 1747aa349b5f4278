import { Canvas } from "../../draw/canvas.js";
import { colour, faded } from "../../draw/colours.js";
import { el } from "../../draw/dom.js";
import { percent, turns, windowSize } from "../../draw/format.js";
import { visible } from "../../draw/names.js";
import { BucketNames } from "./bucket-names.js";
import { BUCKETS, ZONES } from "./buckets.js";
import { neighbour, stripHeight, stripLayout } from "./strip-layout.js";

/** By zone, from green to red: the more urgent, the heavier. */
const THICKNESS = [3, 5, 7, 10];
const TICK = [5, 8, 11, 15];
/** With more sessions than this the bars are drawn four times a second at most: what moves of them is a pixel. */
const MANY = 1_000;
const DRAW_EVERY_MS = 250;

/**
 * Turns until red: one bar a session in the order in which they will be red. The bars are one canvas, drawn anew when
 * they changed; the cursor is another one above it, so that moving it costs no drawing of the bars. Its equivalent in
 * words is the table.
 */
export class Strip {
  /** Times that the bars were drawn: told to those who measure. */
  drawn = 0;

  #node;
  #standing;
  #host;
  #bars;
  #above;
  #names = new BucketNames();
  #layout = null;
  #members = null;
  #seen = -1;
  #drawnAt = Number.NEGATIVE_INFINITY;
  /** The session under the cursor, and where the pointer is while it leads. */
  #current = null;
  #pointer = null;

  /** `host`: { session(id), open(id), say(text), tip }. */
  constructor(node, standing, host) {
    this.#node = node;
    this.#standing = standing;
    this.#host = host;
    const bars = el("canvas", { "aria-hidden": "true" });
    const above = el("canvas.above", { "aria-hidden": "true" });
    node.append(bars, this.#names.node, above);
    this.#bars = new Canvas(bars, (...size) => this.#draw(...size));
    this.#above = new Canvas(above, (context) => this.#drawCursor(context));
    this.#observer.observe(node);
    node.addEventListener("pointermove", (event) => this.#point(event));
    node.addEventListener("pointerleave", () => this.#leave());
    node.addEventListener("blur", () => this.#leave());
    node.addEventListener("click", (event) => this.#click(event));
    node.addEventListener("keydown", (event) => this.#key(event));
  }

  #observer = new ResizeObserver(() => {
    this.#node.style.setProperty("--height", `${stripHeight(this.#node.clientWidth)}px`);
  });

  /** Draws what changed since the last time. */
  paint() {
    if (this.#standing.version === this.#seen) return;
    const now = performance.now();
    if (this.#standing.total > MANY && now - this.#drawnAt < DRAW_EVERY_MS) return;
    this.#drawnAt = now;
    this.#seen = this.#standing.version;
    this.#bars.redraw();
    this.#node.dataset.sessions = String(this.#standing.total);
  }

  close() {
    this.#bars.close();
    this.#above.close();
    this.#observer.disconnect();
    this.#host.tip.hide();
  }

  #draw(context, width) {
    this.drawn++;
    this.#node.dataset.drawn = String(this.drawn);
    this.#layout = stripLayout(this.#standing.counts, width);
    this.#members = this.#standing.ordered(this.#layout.inBlocks);
    if (!this.#layout.inBlocks) this.#drawTracks(context);
    for (const [zone] of ZONES.entries()) this.#drawZone(context, zone);
    this.#names.place(this.#layout);
    if (this.#pointer !== null) this.#current = this.#idAt(this.#pointer);
    this.#moved();
  }

  #drawTracks(context) {
    context.fillStyle = colour("--line");
    for (const [b, slots] of this.#members.entries()) {
      for (let place = 0; place < slots.length; place++) {
        const { x, y, width, height } = this.#layout.cell(b, place);
        context.fillRect(x, y + height / 2 - 2.5, width, 5);
      }
    }
  }

  #drawZone(context, zone) {
    const { zone: zones, share } = this.#standing;
    const { narrow, inBlocks } = this.#layout;
    for (const [b, slots] of this.#members.entries()) {
      context.fillStyle = faded(`--${ZONES[zone]}`, BUCKETS[b].strength);
      let last = -1;
      for (let place = 0; place < slots.length; place++) {
        if (zones[slots[place]] !== zone) continue;
        const { x, y, width, height } = this.#layout.cell(b, place);
        if (narrow) {
          // Ticks closer than a pixel fall onto one.
          if (Math.floor(x) === last) continue;
          last = Math.floor(x);
          context.fillRect(x, y + height - 3 - TICK[zone], width, TICK[zone]);
        } else {
          const thick = THICKNESS[zone];
          const length = inBlocks ? width : Math.max(1.5, Math.min(1, share[slots[place]]) * width);
          context.fillRect(x, y + (height - thick) / 2, length, thick);
        }
      }
    }
  }

  #drawCursor(context) {
    const place = this.#place();
    if (place === null) return;
    const { x, y, width, height } = this.#layout.cell(place.bucket, place.place);
    context.strokeStyle = colour("--accent");
    context.lineWidth = 2;
    context.strokeRect(x - 2, y, width + 4, height - 1);
  }

  #place() {
    return this.#current === null || this.#layout === null ? null : this.#standing.find(this.#current);
  }

  #idAt({ x, y }) {
    const found = this.#layout?.at(x, y) ?? null;
    return found === null ? null : this.#idOf(found);
  }

  #idOf({ bucket, place }) {
    return this.#standing.ids[this.#members[bucket][place]] ?? null;
  }

  #point(event) {
    this.#pointer = { x: event.offsetX, y: event.offsetY };
    const id = this.#idAt(this.#pointer);
    if (id === this.#current) return;
    this.#current = id;
    this.#moved();
  }

  #leave() {
    this.#pointer = null;
    this.#current = null;
    this.#moved();
  }

  #click(event) {
    const id = this.#idAt({ x: event.offsetX, y: event.offsetY });
    // A finger has no hover: its first touch chooses, the second opens.
    const isChosen = event.pointerType !== "touch" || event.detail === 0 || this.#touched === id;
    this.#touched = id;
    if (id !== null && isChosen) this.#host.open(id);
  }

  #touched = null;

  #key(event) {
    if (event.key === "Enter" && this.#current !== null) {
      event.preventDefault();
      this.#host.open(this.#current);
      return;
    }
    const isStep = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
    if (!isStep || this.#standing.total === 0 || this.#members === null) return;
    event.preventDefault();
    this.#pointer = null;
    this.#current = this.#idOf(this.#stepped(event.key));
    this.#moved();
    this.#host.say(this.#words(this.#host.session(this.#current)).join(", "));
  }

  #stepped(key) {
    const { counts } = this.#standing;
    if (key === "End") {
      const bucket = neighbour(counts, counts.length, -1);
      return { bucket, place: counts[bucket] - 1 };
    }
    const from = this.#place();
    if (key === "Home" || from === null) return { bucket: neighbour(counts, -1, 1), place: 0 };
    return this.#layout.step(from, key);
  }

  /** The cursor and its words, beside the strip and never on it. */
  #moved() {
    this.#above.redraw();
    const session = this.#current === null ? undefined : this.#host.session(this.#current);
    const place = session === undefined ? null : this.#place();
    this.#node.classList.toggle("pointing", place !== null);
    if (place === null) {
      this.#host.tip.hide();
      return;
    }
    const box = this.#node.getBoundingClientRect();
    const { x, width } = this.#layout.cell(place.bucket, place.place);
    this.#host.tip.show(this.#words(session), box.left + x + width / 2, box.top, 6, box.bottom + 6);
  }

  #words(session) {
    const { session_id: id, agent, model, zone, utilization, max_tokens: max } = session;
    const until = session.turns_until_red;
    const when = zone === "red" ? "red now" : until === null ? "not growing" : `red in ${turns(until)} turns`;
    return [visible(id), `${zone}, ${when}, ${percent(utilization)} of ${windowSize(max)}`, `${agent}, ${model}`];
  }
}
