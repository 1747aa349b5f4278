import { Canvas } from "../../draw/canvas.js";
import { el } from "../../draw/dom.js";
import { compact, count, whole } from "../../draw/format.js";
import { regretWord, typeWord } from "./kind-words.js";
import { drawRibbon, ribbonScale } from "./ribbon-drawing.js";
import { ribbonPlaces, takenAt } from "./ribbon-places.js";
import { ruleName } from "./rule-words.js";

/** Pixels within which the pointer finds a narrow block. */
const REACH = 6;

/** The prompt before and after the pass as two rows. One tab stop; arrows move among what went, Enter chooses. */
export class Ribbon {
  #app;
  #node;
  #canvas;
  #onChoose;
  #places = null;
  #pass = null;
  #chosen = null;
  #pointed = null;

  constructor(root, app, onChoose) {
    this.#app = app;
    this.#onChoose = onChoose;
    this.#node = el("canvas.ribbon", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "ribbon of blocks",
      on: {
        pointermove: (event) => this.#point(event),
        pointerleave: () => this.#leave(),
        click: (event) => this.#click(event),
        keydown: (event) => this.#key(event),
        blur: () => this.#leave(),
      },
    });
    root.append(this.#node);
    this.#canvas = new Canvas(this.#node, (context, width, height) => this.#draw(context, width, height));
  }

  show(pass, blocks) {
    this.#pass = pass;
    this.#places = ribbonPlaces(pass, blocks);
    const name = `The prompt before the pass, ${whole(pass.tokens_before)} tokens, and after it, ${whole(pass.tokens_after)}. ${count(blocks.length, "block")} went; What went lists them. Arrow keys move among them, Enter chooses.`;
    this.#node.setAttribute("aria-label", name);
    this.#canvas.redraw();
  }

  choose(blockId) {
    this.#chosen = blockId;
    this.#canvas.redraw();
  }

  close() {
    this.#canvas.close();
  }

  #draw(context, width, height) {
    if (this.#places === null) return;
    drawRibbon(context, width, height, {
      places: this.#places,
      pass: this.#pass,
      chosen: this.#chosen,
      pointed: this.#pointed,
    });
  }

  #at(event) {
    if (this.#places === null) return null;
    const scale = ribbonScale(this.#places, this.#canvas.width, this.#canvas.height);
    if (event.offsetY < scale.upper - 12 || event.offsetY > scale.lower) return null;
    return takenAt(this.#places, scale.tokensAt(event.offsetX), REACH / scale.span);
  }

  #point(event) {
    const place = this.#at(event);
    this.#node.classList.toggle("pointing", place !== null);
    this.#moveTo(place);
  }

  #leave() {
    this.#moveTo(null);
  }

  #click(event) {
    const place = this.#at(event);
    if (place !== null) this.#onChoose(place.block.block_id);
  }

  #moveTo(place) {
    const id = place?.block.block_id ?? null;
    if (id === this.#pointed) return;
    this.#pointed = id;
    this.#canvas.redraw();
    if (place === null) this.#app.tip.hide();
    else this.#tell(place);
  }

  #tell(place) {
    const scale = ribbonScale(this.#places, this.#canvas.width, this.#canvas.height);
    const box = this.#node.getBoundingClientRect();
    const x = box.left + scale.x(place.from + place.size / 2);
    this.#app.tip.show(lines(place), x, box.top + scale.upper + scale.bar / 2, scale.bar / 2 + 8);
  }

  #key(event) {
    const went = (this.#places?.before ?? []).filter(({ taken }) => taken !== null);
    if (went.length === 0) return;
    const at = went.findIndex(({ block }) => block.block_id === (this.#pointed ?? this.#chosen));
    const moves = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: went.length,
    };
    if (event.key === "Enter" || event.key === " ") {
      if (at >= 0) this.#onChoose(went[at].block.block_id);
    } else if (Object.hasOwn(moves, event.key)) {
      const place = went[Math.min(Math.max(moves[event.key], 0), went.length - 1)];
      this.#moveTo(place);
      this.#app.say(lines(place).join(". "));
    } else {
      return;
    }
    event.preventDefault();
  }
}

function lines({ block, taken }) {
  const [regret] = taken.regret;
  const score = taken.score === null ? "" : `, score ${taken.score.toFixed(2)}`;
  return [
    block.title,
    `${typeWord(block.type)} of turn ${block.turn}, ${compact(taken.tokens_before)} → ${compact(taken.tokens_after)} tok`,
    `${ruleName(taken.rule)}${score}`,
    ...(regret === undefined ? [] : [`${regretWord(regret.kind)} at turn ${regret.turn}`]),
  ];
}
