import { el } from "../../draw/dom.js";
import { count, whole } from "../../draw/format.js";
import { needNotice } from "./again.js";
import { blockActions } from "./block-actions.js";
import { insteadText } from "./instead.js";
import { methodMeaning, methodWord, sentence, typeWord } from "./kind-words.js";
import { originalText } from "./original-text.js";
import { ruleWords } from "./rule-words.js";
import { scoreParts } from "./score-parts.js";

/** Blocks that are walked past faster than this are not read: an original may be megabytes. */
const WALK_MS = 120;
/** A read that takes longer than this shows its frame. */
const QUIET_MS = 150;

/** One block that went: why, what its score was made of, its original with what was kept, and what stands there now. */
export class BlockDetail {
  #root;
  #app;
  #sessionId;
  #originals;
  #onActed;
  #texts = el("div.texts");
  #actions = el("div.action-place");
  #reason = el("div.reason");
  #head = el("div.block-name");
  #block = null;
  /** What was done about blocks while the screen is open: content that came back may stand in another block. */
  #done = new Map();
  #pass = null;
  #drawn = "";
  #drawnTexts = "";
  #shownAt = Number.NEGATIVE_INFINITY;
  #walking = 0;

  constructor(root, app, sessionId, originals, onActed) {
    this.#root = root;
    this.#app = app;
    this.#sessionId = sessionId;
    this.#originals = originals;
    this.#onActed = onActed;
  }

  /** Shows a block of the pass; the same one again is drawn only where it changed. */
  show(block, pass) {
    const isOther = block.block_id !== this.#block?.block_id;
    this.#block = block;
    this.#pass = pass;
    const now = JSON.stringify([block, pass.recorded]);
    if (now !== this.#drawn) this.#drawReason(isOther);
    this.#drawn = now;
    const marks = JSON.stringify([block.block_id, block.regret, this.#ownEntries()]);
    if (marks === this.#drawnTexts) return;
    this.#drawnTexts = marks;
    clearTimeout(this.#walking);
    const isWalked = isOther && performance.now() - this.#shownAt < WALK_MS;
    this.#shownAt = performance.now();
    if (isOther) this.#texts.replaceChildren();
    if (isWalked) this.#walking = setTimeout(() => this.#readTexts(true), WALK_MS);
    else this.#readTexts(isOther);
  }

  /** What stands in the block's place has changed: it is read anew. */
  readAgain() {
    if (this.#block === null) return;
    this.#originals.forget(this.#block.block_id);
    this.#readTexts(false);
  }

  close() {
    clearTimeout(this.#walking);
  }

  focus() {
    this.#head.querySelector("h2")?.focus();
  }

  #ownEntries() {
    return (this.#pass.carried.ledger?.entries ?? []).filter((entry) => entry.block_id === this.#block.block_id);
  }

  #keptLines() {
    return new Set(this.#ownEntries().flatMap(({ line }) => line ?? []));
  }

  /** Lines that were needed later, each with its first need. */
  #neededLines() {
    const needed = new Map();
    for (const regret of this.#block.regret) {
      const { line, turn } = regret;
      if (line !== null && turn < (needed.get(line)?.turn ?? Number.POSITIVE_INFINITY)) needed.set(line, regret);
    }
    return needed;
  }

  #drawReason(isOther) {
    const block = this.#block;
    const { name, meaning } = ruleWords(block.rule);
    const age = this.#pass.turn - block.arrived_turn;
    this.#head.replaceChildren(
      el("h2.mono.name", { tabindex: "-1" }, block.title),
      el("p.dim.num", {}, summary(block)),
    );
    this.#reason.replaceChildren(
      el(
        "div.because",
        {},
        el("h3", {}, "Why it went"),
        el("p", {}, el("b", {}, name), ` ${meaning} It was ${count(age, "turn")} old.`),
        el("p.dim", {}, `${sentence(methodWord(block.method))}. ${methodMeaning(block.method)}${merged(block)}`),
        needNotice(block, this.#keptLines()),
      ),
      scoreParts(block, this.#pass.recorded),
    );
    if (isOther) {
      this.#actions.replaceChildren();
      this.#root.replaceChildren(el("header.block-head", {}, this.#head, this.#actions), this.#reason, this.#texts);
    }
  }

  async #readTexts(isOther) {
    const block = this.#block;
    const isStill = () => this.#block.block_id === block.block_id;
    const frame = setTimeout(() => isStill() && isOther && this.#texts.replaceChildren(loading()), QUIET_MS);
    try {
      const content = await this.#originals.of(block.block_id);
      if (isStill()) this.#drawTexts(content, isOther);
    } catch (error) {
      if (isStill()) this.#texts.replaceChildren(this.#failure(error));
    } finally {
      clearTimeout(frame);
    }
  }

  #drawTexts(content, isOther) {
    const block = this.#block;
    const kept = this.#keptLines();
    const needed = this.#neededLines();
    const { box, lines } = originalText(content.original, { kept, needed });
    const scrolled = isOther ? null : (this.#texts.querySelector(".source")?.scrollTop ?? null);
    const titles = new Map(this.#pass.before.map(({ block_id, title }) => [block_id, title]));
    this.#texts.replaceChildren(
      el(
        "section",
        {},
        el(
          "header",
          {},
          el("h3", {}, "Original"),
          el("span.dim.num", {}, `${count(lines, "line")}, ${whole(content.original_tokens)} tok`),
          el("span.legend", {}, el("span.kept", {}, "✓ kept"), el("span.missed", {}, "! needed later")),
        ),
        box,
        unplaced(this.#ownEntries()),
      ),
      el(
        "section",
        {},
        el("header", {}, el("h3", {}, "What the agent has instead")),
        insteadText(block, content, this.#pass.carried.ledger, titles),
      ),
    );
    if (scrolled === null) showFirstMark(box);
    else box.scrollTop = scrolled;
    const focused = this.#actions.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.#actions.replaceChildren(
      blockActions(
        this.#app,
        this.#sessionId,
        block,
        content,
        this.#done.get(block.block_id) ?? null,
        (words, isBack) => {
          this.#done.set(block.block_id, { words, isBack });
          this.#app.say(words);
          this.readAgain();
          this.#onActed();
        },
      ),
    );
    if (focused !== null) focusAgain(this.#actions, focused);
  }

  #failure({ code, reason, message }) {
    const again = el("button.button", { type: "button", on: { click: () => this.#readTexts(true) } }, "Try again");
    const told = el("p.dim", {}, el("code", {}, code === null ? reason : `${code} ${reason}`));
    return el("section.failed", {}, el("h3", {}, "The original could not be read"), el("p", {}, message), told, again);
  }
}

/** What was needed later stands in view, else the first line that was kept; a few lines above it too. */
function showFirstMark(box) {
  const mark = box.querySelector(".line.missed") ?? box.querySelector(".line.kept");
  if (mark !== null) box.scrollTop = Math.max(0, mark.offsetTop - box.clientHeight / 3);
}

/** The keyboard stays where it was: on the button of that name, or on what is said in its place. */
function focusAgain(actions, name) {
  const same = [...actions.querySelectorAll("button")].find(({ textContent }) => textContent === name);
  (same ?? actions.querySelector(".back") ?? actions.querySelector("button"))?.focus({ preventScroll: true });
}

function loading() {
  return el("section.reading", {}, el("h3", {}, "Original"), el("div.source", { "aria-busy": "true" }));
}

function merged({ into_block_id: into }) {
  return into === null ? "" : ` It is held by ${into}.`;
}

function summary(block) {
  const now = block.tokens_after === 0 ? "gone" : `${whole(block.tokens_after)} tok`;
  const kept = block.lines_kept === 0 ? "" : ` and ${count(block.lines_kept, "line")} in the ledger`;
  const generation = (block.generation ?? 0) > 1 ? ` Folded ${block.generation} times.` : "";
  return `${sentence(typeWord(block.type))}, ${block.block_id}, turn ${block.arrived_turn}, handle ${block.handle}. ${whole(block.tokens_before)} tok, after the pass ${now}${kept}.${generation}`;
}

/** Kept rows that are no line of the text, as the leaves of a JSON document: they are told beside it. */
function unplaced(entries) {
  const without = entries.filter(({ line }) => line === null).length;
  if (without === 0) return null;
  return el(
    "p.hint",
    {},
    `${count(without, "kept row")} of it ${without === 1 ? "is" : "are"} no line of the text, as values of a document are.`,
  );
}
