import { Book, chooseLedger, type LedgerChoice, ledgerText, type NeedModel, PassView } from "../../ledger/index.ts";
import { type MessageFormat, messageFormats, type SplitMessage } from "../../messages/index.ts";
import type { JsonObject } from "../../model/json.ts";
import { openNeedModel } from "../../need-models.ts";
import type { Contender, ReplayRequest } from "../contender.ts";
import type { PreparedRun } from "../prepared-run.ts";
import { cutToEnds } from "./cut-to-ends.ts";
import { unitsOf } from "./units.ts";

/** Tokens of the ledger's frame. */
const FRAME_TOKENS = 16;
/** Smaller messages are not worth a cut. */
const LEAST_CUT = 60;
/** A cut leaves at least this many tokens of a message. */
const LEAST_LEFT = 50;
/** What a cut message has beside its lines. */
const CUT_MARGIN = 20;
const CHARACTERS_PER_TOKEN = 4;

export interface PlainLedgerOptions {
  readonly model: NeedModel;
  /** Tokens of the ledger, as a share of the window. */
  readonly share: number;
  /** What a pass comes down to, the ledger included, as a share of the window. */
  readonly low: number;
  readonly stableShare: number;
  readonly refreshBelow: number;
  /** As in the ledger's limits; 0 when absent. */
  readonly leastNeed?: number;
  readonly tokensOf: (row: string) => number;
  /** Called in each pass, before the ledger is chosen. `kept`: the messages that stay, the ledger aside. */
  readonly onPass?: (view: PassView, place: number, kept: readonly JsonObject[]) => void;
}

interface Ledger {
  readonly choice: LedgerChoice;
  readonly messages: readonly JsonObject[];
  readonly ids: readonly [string, string];
  readonly tokens: number;
}

/**
 * The reference form of eviction with a ledger: whole units, oldest first, and lines of all that has gone. Where what
 * must stay leaves no room for the ledger, the largest messages are cut to the lines of their ends.
 */
export function* playLedger(run: PreparedRun, window: number, options: PlainLedgerOptions): Generator<ReplayRequest> {
  const { messages, ...beside } = run.conversation;
  const context = new LedgerContext(run, window, options);
  for (const [place, message] of messages.entries()) {
    const split = messageFormats[run.format].split(message, `messages[${place}]`);
    if (split.role === "assistant") {
      const edits = context.makeRoom(place);
      const { kept, ids } = context.render();
      yield { context: { ...beside, messages: kept }, ids, edits };
    }
    context.add(place, message, split);
  }
}

class LedgerContext {
  readonly #run: PreparedRun;
  readonly #format: MessageFormat;
  readonly #options: PlainLedgerOptions;
  readonly #window: number;
  readonly #size: number;
  readonly #units: ReturnType<typeof unitsOf>;
  readonly #firstUser: number;
  readonly #book = new Book();
  /** What stands in the context, by place in the run; a cut message under an id of its own. */
  readonly #shown = new Map<number, { readonly message: JsonObject; readonly id: string; readonly tokens: number }>();
  readonly #split: SplitMessage[] = [];
  #total: number;
  #ledger: Ledger | null = null;
  #previous = 0;
  #passes = 0;

  constructor(run: PreparedRun, window: number, options: PlainLedgerOptions) {
    const { messages, ...beside } = run.conversation;
    this.#run = run;
    this.#format = messageFormats[run.format];
    this.#options = options;
    this.#window = window;
    this.#size = Math.floor(options.share * window);
    this.#units = unitsOf(run);
    this.#firstUser = messages.findIndex((message) => message["role"] === "user");
    this.#total = run.readings.of({ ...beside, messages: [] })[0]?.tokens ?? 0;
  }

  add(place: number, message: JsonObject, split: SplitMessage): void {
    const { tokens } = this.#run.readings.ofMessage(message);
    this.#shown.set(place, { message, id: String(place), tokens });
    this.#split[place] = split;
    this.#total += tokens;
    const isResult = split.role === "tool" || split.parts.some((part) => part.kind === "tool_result");
    this.#book.add({
      role: isResult ? "tool" : split.role,
      pinned: this.#isPinned(place),
      pieces: split.parts.map((part, at) => ({ blockId: `${place}.${at}`, part })),
    });
  }

  /** Evicts when the context exceeds the window. Answers the edits made. */
  makeRoom(place: number): number {
    let edits = 0;
    if (this.#total + (this.#ledger?.tokens ?? 0) > this.#window) {
      edits = this.#dropUnits() + this.#cutLargest();
      this.#passes++;
      this.#renewLedger(place);
    }
    this.#previous = place;
    return edits;
  }

  render(): { kept: JsonObject[]; ids: string[] } {
    const standing = [...this.#shown].map(([place, { message, id }]) => ({ place, message, id }));
    const ledger = this.#ledger?.messages.map((message, at) => ({
      place: this.#firstUser,
      message,
      id: this.#ledger?.ids[at] as string,
    }));
    const behind = standing.findIndex(({ place }) => place > this.#firstUser);
    if (ledger) standing.splice(behind < 0 ? standing.length : behind, 0, ...ledger);
    return { kept: standing.map(({ message }) => message), ids: standing.map(({ id }) => id) };
  }

  #isPinned(place: number): boolean {
    return place === this.#firstUser || this.#split[place]?.role === "system";
  }

  #dropUnits(): number {
    const target = Math.floor(this.#options.low * this.#window) - this.#size;
    let dropped = 0;
    for (
      let unit = this.#units[0];
      unit && this.#total > target && (unit.places[0] ?? 0) < this.#previous;
      unit = this.#units[0]
    ) {
      this.#units.shift();
      dropped++;
      for (const place of unit.places) {
        this.#total -= this.#shown.get(place)?.tokens ?? 0;
        this.#shown.delete(place);
        for (const at of this.#split[place]?.parts.keys() ?? []) this.#book.hide(`${place}.${at}`);
      }
    }
    return dropped;
  }

  #cutLargest(): number {
    const untouchable = new Set<number>();
    let cuts = 0;
    for (;;) {
      const excess = this.#total - (this.#window - this.#size);
      const [place, tokens] = excess > 0 ? this.#largest(untouchable) : [-1, 0];
      if (place < 0) return cuts;
      const left = Math.max(LEAST_LEFT, tokens - excess - CUT_MARGIN);
      if (this.#cut(place, left * CHARACTERS_PER_TOKEN)) cuts++;
      else untouchable.add(place);
    }
  }

  #largest(untouchable: ReadonlySet<number>): [number, number] {
    let largest = -1;
    let most = LEAST_CUT;
    for (const [place, { tokens }] of this.#shown) {
      if (tokens <= most || this.#isPinned(place) || untouchable.has(place)) continue;
      largest = place;
      most = tokens;
    }
    return [largest, most];
  }

  /** False when the message cannot be made smaller. */
  #cut(place: number, characters: number): boolean {
    const before = this.#shown.get(place)?.tokens ?? 0;
    const cut = cutToEnds(this.#split[place] as SplitMessage, characters, this.#run.format);
    if (cut === null) return false;
    const message = this.#format.join(cut.message);
    const { tokens } = this.#run.readings.ofMessage(message);
    if (tokens >= before) return false;
    this.#shown.set(place, { message, id: `${place} cut ${characters}`, tokens });
    this.#total += tokens - before;
    this.#book.hide(`${place}.${cut.at}`, cut.part);
    return true;
  }

  #renewLedger(place: number): void {
    const { model, tokensOf, stableShare, refreshBelow, onPass } = this.#options;
    const view = new PassView(this.#book);
    onPass?.(
      view,
      place,
      [...this.#shown.values()].map(({ message }) => message),
    );
    const room = Math.min(this.#size, this.#window - this.#total) - FRAME_TOKENS;
    const choice = chooseLedger(
      { view, model, tokensOf, factor: () => 1 },
      { tokens: room, mostTokens: room, stableShare, refreshBelow, leastNeed: this.#options.leastNeed ?? 0 },
      this.#ledger?.choice.stable ?? [],
    );
    const messages = [ledgerText("stable", choice.stable, "1"), ledgerText("fresh", choice.fresh, "2")].map((text) =>
      this.#format.join(this.#format.compose("user", text)),
    );
    this.#ledger = {
      choice,
      messages,
      ids: [choice.renewed ? `A${this.#passes}` : (this.#ledger?.ids[0] ?? ""), `V${this.#passes}`],
      tokens: messages.reduce((sum, each) => sum + this.#run.readings.ofMessage(each).tokens, 0),
    };
  }
}

/** The recipe's proportions, counted by characters as its figures are. */
export const plainLedger: Contender = {
  name: "plain_ledger",
  play: (run, window) =>
    playLedger(run, window, {
      model: openNeedModel({ need_model: "builtin" }),
      share: 0.3,
      low: 0.65,
      stableShare: 0.5,
      refreshBelow: 0.5,
      tokensOf: (row) => (row.length + 1) / 4,
    }),
};
