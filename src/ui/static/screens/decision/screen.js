import { shortType } from "../../app/event-words.js";
import { el, slot } from "../../draw/dom.js";
import { shortened } from "../../draw/names.js";
import { drawAgain } from "./again.js";
import { BlockDetail } from "./block-detail.js";
import { drawCarried } from "./carried.js";
import { drawFidelity } from "./fidelity.js";
import { drawGate } from "./gate.js";
import { drawHeadline } from "./headline.js";
import { layout } from "./layout.js";
import { noSuchPass } from "./no-such-pass.js";
import { OriginalReading } from "./original-reading.js";
import { PassReading } from "./pass-reading.js";
import { drawPayback } from "./payback.js";
import { Ribbon } from "./ribbon.js";
import { ribbonHint } from "./ribbon-hint.js";
import { drawSteps } from "./steps.js";
import { takenBlocks } from "./taken-blocks.js";
import { TakenList } from "./taken-list.js";

/** A first reading that takes longer than this shows the frame of the screen. */
const QUIET_MS = 150;
/** Reasons of `pass.explain` that say that nothing stands at the address. */
const UNKNOWN = new Set(["content_not_found", "pass_not_found", "invalid_params"]);

/** One pass: what it took, why, what it kept, and what came of it. */
export const open = (root, app, params) => new DecisionScreen(root, app, params);

class DecisionScreen {
  #root;
  #app;
  #params;
  #session;
  #reading;
  #pass = null;
  #blocks = [];
  #chosen = null;
  #ribbon;
  #list;
  #detail;
  #originals;
  #width = new ResizeObserver(() => this.#widthOfPayback() !== this.#drawnWidth && this.#drawPayback());
  #drawnWidth = 0;
  #frame;

  constructor(root, app, params) {
    this.#root = root;
    this.#app = app;
    this.#params = params;
    this.#session = params.session;
    root.classList.add("reading");
    root.append(...layout());
    const part = (name) => slot(root, name);
    this.#ribbon = new Ribbon(part("ribbon"), app, (id) => this.#choose(id, { reveal: true }));
    this.#list = new TakenList(part("taken"), part("taken-hint"), (id, focus) => this.#choose(id, { focus }));
    this.#originals = new OriginalReading(app, params.session);
    this.#detail = new BlockDetail(part("detail"), app, params.session, this.#originals, () => this.#reading.soon());
    this.#reading = new PassReading(app, params, {
      onRead: (explanation) => this.#show(explanation),
      onFailed: (error, isShown) => this.#failed(error, isShown),
    });
    this.#frame = setTimeout(() => root.classList.add("slow"), QUIET_MS);
    this.#width.observe(part("payback"));
    this.#reading.read();
  }

  apply(event, isNew) {
    if (!isNew) return;
    const type = shortType(event.type);
    this.#reading.apply(type, event.subject);
    // What can be done about a block is told with its text.
    if (type === "session.closed" && event.subject === this.#session) this.#detail.readAgain();
  }

  resync() {
    this.#reading.read();
  }

  query(choices) {
    const wanted = choices.get("block");
    if (this.#pass !== null && wanted !== this.#chosen) this.#choose(wanted ?? this.#blocks[0]?.block_id ?? null, {});
  }

  key({ key }) {
    if (this.#pass === null) return false;
    if (key === "[") return this.#goTo(this.#pass.previous_pass_id);
    if (key === "]") return this.#goTo(this.#pass.next_pass_id);
    if (key !== "j" && key !== "k") return false;
    const next = this.#list.neighbour(key === "j" ? 1 : -1);
    if (next !== null) this.#choose(next, { focus: true });
    return true;
  }

  close() {
    clearTimeout(this.#frame);
    this.#reading.close();
    this.#width.disconnect();
    this.#detail.close();
    this.#ribbon.close();
  }

  #goTo(passId) {
    if (passId !== null) this.#app.navigate(["session", this.#session, "decision", passId]);
    return true;
  }

  #show(pass) {
    clearTimeout(this.#frame);
    this.#root.classList.remove("reading");
    this.#pass = pass;
    this.#blocks = takenBlocks(pass);
    const blocks = this.#blocks;
    const part = (name) => slot(this.#root, name);
    this.#root.classList.toggle("nothing-went", blocks.length === 0);
    document.title = `Turn ${pass.turn}, ${shortened(this.#session)} · contextd`;
    this.#alone("why", () => drawHeadline(this.#root, this.#app, this.#session, pass));
    this.#alone("steps", () => drawSteps(part("steps"), pass, blocks));
    this.#alone("ribbon", () => {
      part("ribbon-hint").textContent = ribbonHint(pass);
      this.#ribbon.show(pass, blocks);
    });
    this.#alone("taken", () => this.#list.show(blocks));
    this.#alone("again", () =>
      drawAgain(part("again"), part("again-hint"), pass, blocks, (id) => this.#choose(id, { reveal: true })),
    );
    this.#alone("gate", () => drawGate(part("gate"), pass));
    this.#alone("payback", () => this.#drawPayback());
    this.#alone("fidelity", () => drawFidelity(part("fidelity"), part("fidelity-hint"), pass));
    this.#alone("carried", () => drawCarried(part("carried"), pass));
    const wanted = this.#chosen ?? this.#app.query.get("block");
    const known = blocks.some((block) => block.block_id === wanted);
    this.#choose(known ? wanted : (blocks[0]?.block_id ?? null), { isFirst: true });
  }

  /** Draws one part; where that fails, the rest of the screen stays. */
  #alone(name, draw) {
    try {
      draw();
    } catch (error) {
      console.error(error);
      slot(this.#root, name).replaceChildren(
        el("p.wrong", { role: "alert" }, `This could not be drawn: ${error.message}`),
      );
    }
  }

  #drawPayback() {
    if (this.#pass === null) return;
    this.#drawnWidth = this.#widthOfPayback();
    const hint = slot(this.#root, "payback-hint");
    drawPayback(slot(this.#root, "payback"), hint, this.#pass, this.#blocks, this.#drawnWidth);
  }

  #widthOfPayback() {
    const root = slot(this.#root, "payback");
    const { paddingLeft, paddingRight } = getComputedStyle(root);
    return Math.floor(root.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
  }

  /** `focus`: the keyboard goes to its row; `reveal`: the detail comes into view; `isFirst`: the address stays as it is. */
  #choose(blockId, { focus = false, reveal = false, isFirst = false }) {
    const block = this.#blocks.find((each) => each.block_id === blockId);
    if (block === undefined) return;
    this.#chosen = blockId;
    if (!isFirst) this.#app.setQuery({ block: blockId });
    this.#list.choose(blockId, focus);
    this.#ribbon.choose(blockId);
    this.#alone("detail", () => this.#detail.show(block, this.#pass));
    if (!isFirst) this.#app.say(`${block.title}, ${block.tokens_before} tokens`);
    if (!reveal) return;
    slot(this.#root, "detail").scrollIntoView({ block: "nearest" });
    this.#detail.focus();
  }

  #failed(error, isShown) {
    // What was read once stays; the next event reads it again.
    if (isShown) return;
    clearTimeout(this.#frame);
    if (error.reason === "session_not_found") {
      this.#app.showNotFound(`There is no session ${shortened(this.#session)}.`);
      return;
    }
    if (UNKNOWN.has(error.reason)) {
      this.close();
      document.title = "Not found · contextd";
      this.#root.classList.remove("reading");
      this.#root.replaceChildren(noSuchPass(this.#app, this.#params));
      return;
    }
    const again = el("button.button", { type: "button" }, "Try again");
    const told = el(
      "section.panel.failed",
      { role: "alert" },
      el("h2", {}, "The decision could not be read"),
      el("p", {}, error.message),
      el("p.dim", {}, el("code", {}, error.code === null ? error.reason : `${error.code} ${error.reason}`)),
      again,
    );
    again.addEventListener("click", () => {
      told.remove();
      this.#reading.read();
    });
    this.#root.querySelector(".failed")?.remove();
    this.#root.prepend(told);
  }
}
