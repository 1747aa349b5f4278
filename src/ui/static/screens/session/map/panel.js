import { el, setText } from "../../../draw/dom.js";
import { count, whole } from "../../../draw/format.js";
import { typeOf } from "../read/words.js";
import { segments } from "../segments.js";
import { BlockMap, titleOf } from "./block-map.js";
import { BlockTable } from "./block-table.js";
import { Inspector } from "./inspector.js";
import { TYPE_ORDER } from "./places.js";
import { showTexts } from "./text-dialog.js";

const ORDERS = [
  ["prompt", "Prompt order"],
  ["type", "By type"],
  ["score", "By score"],
  ["list", "List"],
];
const KEY = [...TYPE_ORDER, "ledger"];

/** The window block by block, and the block that is chosen or under the cursor. */
export class MapPanel {
  #hint = el("p.hint.num");
  #planned = el("span", {}, "goes next");
  #order = "prompt";
  #pointed = null;
  #view = null;
  #map;
  #table;
  #inspector;
  #app;
  #call;
  #on;
  node;

  /** `on`: choose(block id), pinned() after a pin was set or taken. */
  constructor(app, call, on) {
    this.#app = app;
    this.#call = call;
    this.#on = on;
    const choose = (block) => on.choose(block.block_id);
    this.#map = new BlockMap({
      choose,
      point: (block) => this.#point(block),
      speak: (block) =>
        app.say(`${typeOf(block).name}, ${titleOf(block).slice(0, 120)}, ${whole(block.tokens)} tokens`),
    });
    this.#table = new BlockTable(choose);
    this.#table.node.hidden = true;
    this.#inspector = new Inspector({
      showText: (block) => this.#showText(block),
      pin: (block) => this.#pin(block),
      guard: (button) => app.guard.button(button, { isClosed: () => this.#view?.closed === true }),
    });
    const order = segments("map-order", "Order of the blocks", ORDERS, "prompt", (value) => this.#choose(value));
    this.node = el(
      "section.panel.map",
      { "aria-labelledby": "map-title" },
      el("header.panel-head", {}, el("h2", { id: "map-title" }, "The window, block by block"), this.#hint, order),
      el("div.map-body", {}, el("div.map-view", {}, this.#map.node, this.#table.node), this.#inspector.node),
      this.#key(),
    );
  }

  /** { context, summary, chosen }. */
  show({ context, summary, chosen }) {
    const { max_tokens: max, output_reserve: reserve = 0, thresholds, next, turn, closed } = summary;
    const blocks = context.blocks ?? [];
    const used = context.reading?.tokens ?? context.raw_tokens;
    const ranked = blocks.filter((block) => (block.rank ?? null) !== null).length;
    const asked = blocks.some(({ block_id }) => block_id === chosen) ? chosen : (firstShown(blocks)?.block_id ?? null);
    this.#view = {
      blocks,
      used,
      max,
      reserve,
      thresholds,
      chosen: asked,
      ranked,
      closed,
      next: next?.turn ?? turn + 1,
    };
    setText(
      this.#hint,
      `${count(blocks.length, "block")}, ${whole(used)} of ${whole(max)} tok. Width is tokens, strength is score, faint goes first.`,
    );
    setText(this.#planned, `goes at turn ${this.#view.next}`);
    this.#draw();
  }

  close() {
    this.#map.close();
  }

  #choose(order) {
    this.#order = order;
    this.#table.node.hidden = order !== "list";
    this.#map.node.hidden = order === "list";
    this.#draw();
  }

  #point(block) {
    this.#pointed = block?.block_id ?? null;
    this.#inspect();
  }

  #draw() {
    if (this.#view === null) return;
    if (this.#order === "list") this.#table.show(this.#view);
    else this.#map.show({ ...this.#view, order: this.#order });
    this.#inspect();
  }

  #inspect() {
    const { blocks, chosen } = this.#view;
    const id = this.#pointed ?? chosen;
    const block =
      blocks.find(({ block_id }) => block_id === id) ?? blocks.find(({ block_id }) => block_id === chosen) ?? null;
    this.#inspector.show(block, this.#view);
  }

  #key() {
    const types = KEY.map((type) => {
      const { name, colour, hatched } = typeOf({ type });
      return el("li", {}, el(`i.swatch${hatched ? ".lined" : ""}`, { vars: { "--c": `var(${colour})` } }), name);
    });
    return el(
      "ul.map-key",
      { "aria-label": "Colours of the map" },
      ...types,
      el("li", {}, el("i.swatch.protected"), "protected"),
      el("li", {}, el("i.swatch.planned"), this.#planned),
    );
  }

  async #showText(block) {
    try {
      const answer = await this.#call("content.get", { block_id: block.block_id });
      const { original, current, title, turn, original_tokens: tokens } = answer;
      const isChanged = current !== null && current !== original;
      const texts = [[isChanged ? "As it came" : "Text", original]];
      if (isChanged) texts.unshift(["As it stands in the context now", current]);
      const hint = `${typeOf(block).name}, ${whole(tokens)} tok${turn > 0 ? `, arrived at turn ${turn}` : ""}. Looking is no recall: it counts for nothing.`;
      showTexts({ title: (title || block.block_id).slice(0, 300), hint, texts });
    } catch (error) {
      this.#tell(`The text could not be read: ${error.message} (${error.code ?? error.reason})`);
    }
  }

  async #pin(block) {
    const isPinned = block.pinned;
    const go = await this.#app.confirm({
      title: isPinned ? "Take the pin off this block?" : "Pin this block?",
      body: [
        isPinned
          ? `${whole(block.tokens)} tok may be evicted again.`
          : `${whole(block.tokens)} tok stay in the context, whatever the zone: passes take other content instead.`,
        "The context itself does not change now, nor does the provider's cache. It is written to the journal.",
      ],
      action: isPinned ? "Unpin" : "Pin",
    });
    if (!go) return;
    try {
      await this.#call(isPinned ? "context.unpin" : "context.pin", { block_ids: [block.block_id] });
      this.#app.say(isPinned ? "Unpinned" : "Pinned");
      this.#on.pinned();
    } catch (error) {
      this.#tell(`Not done: ${error.message} (${error.code ?? error.reason})`);
    }
  }

  #tell(text) {
    this.#app.say(text);
    showTexts({ title: "That did not work", hint: text, texts: [] });
  }
}

/** The block that is inspected while none was chosen: the first to go, else the largest. */
function firstShown(blocks) {
  const first = blocks.find(({ rank, goes_next: goes }) => rank === 1 && goes === true);
  return first ?? blocks.reduce((most, block) => (most === null || block.tokens > most.tokens ? block : most), null);
}
