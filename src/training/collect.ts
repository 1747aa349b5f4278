import { FEATURES, type NeedModel, type PassView, readFeatures } from "../ledger/index.ts";
import { trimmed } from "../lines/index.ts";
import type { JsonObject } from "../model/json.ts";
import { playLedger } from "../replay/peers/plain-ledger.ts";
import type { PreparedRun } from "../replay/prepared-run.ts";
import type { RowTable } from "./row-table.ts";
import { drawOf } from "./sampling.ts";
import type { CollectSettings } from "./settings.ts";
import type { TrainingRun } from "./training-run.ts";

/** Pinned messages may take this share of a window; where they take more, there is little to evict. */
const MOST_PINNED = 0.5;
const CHARACTERS_PER_TOKEN = 4;
/** Bounds of a candidate's characters. */
const SHORTEST = 4;
const LONGEST = 400;

/** While rows are collected nothing is known of the lines: what the ledger shows does not change what is evicted. */
const NO_MODEL: NeedModel = { score: () => 1 };

/**
 * Plays the run at each window that it fits and adds a row for each line that could be carried over at each eviction:
 * its features then, and the weight of the needs that it met from there to the next eviction, those aside that the
 * kept messages meet. A need counts once.
 */
export function collectRows(run: TrainingRun, number: number, settings: CollectSettings, table: RowTable): void {
  const { prepared } = run;
  const least = prepared.tokens < settings.short_run ? settings.least_window_of_short_run : settings.least_window;
  for (const share of settings.windows) {
    const window = Math.floor(share * prepared.tokens);
    if (window < least || prepared.pinnedTokens > MOST_PINNED * window) continue;
    new Collector(run, number, window, settings, table).collect();
  }
}

/** An eviction whose horizon is not known yet. */
interface Pass {
  readonly place: number;
  /** Needed values that the kept messages show. */
  readonly shown: ReadonlySet<number>;
  readonly lines: readonly { readonly key: string; readonly features: Float32Array }[];
}

class Collector {
  readonly #run: TrainingRun;
  readonly #prepared: PreparedRun;
  readonly #number: number;
  readonly #window: number;
  readonly #settings: CollectSettings;
  readonly #table: RowTable;
  readonly #features = new Float64Array(FEATURES.length);
  #pass: Pass | null = null;

  constructor(run: TrainingRun, number: number, window: number, settings: CollectSettings, table: RowTable) {
    this.#run = run;
    this.#prepared = run.prepared;
    this.#number = number;
    this.#window = window;
    this.#settings = settings;
    this.#table = table;
  }

  collect(): void {
    const requests = playLedger(this.#prepared, this.#window, {
      model: NO_MODEL,
      share: this.#settings.ledger_share,
      low: this.#settings.depth,
      stableShare: 0.5,
      refreshBelow: 0.5,
      tokensOf: (row) => (row.length + 1) / CHARACTERS_PER_TOKEN,
      onPass: (view, place, kept) => {
        this.#close(place);
        this.#pass = { place, shown: this.#shownBy(kept), lines: this.#linesOf(view) };
      },
    });
    for (const _ of requests);
    this.#close(Number.POSITIVE_INFINITY);
  }

  #shownBy(kept: readonly JsonObject[]): ReadonlySet<number> {
    const { messages: _, ...beside } = this.#prepared.conversation;
    const readings = this.#prepared.readings.of({ ...beside, messages: [...kept] });
    return new Set(readings.flatMap(({ onLines }) => onLines));
  }

  #linesOf(view: PassView): Pass["lines"] {
    const lines: { key: string; features: Float32Array }[] = [];
    for (const line of view.book.hidden) {
      if (line.length < SHORTEST || line.length > LONGEST) continue;
      readFeatures(line, view, this.#features);
      lines.push({ key: trimmed(line.text), features: Float32Array.from(this.#features) });
    }
    return lines;
  }

  /** The horizon of the pass under way ends before `until`: its rows are known. */
  #close(until: number): void {
    const pass = this.#pass;
    if (pass === null) return;
    this.#pass = null;
    const needed = this.#neededAfter(pass, until);
    const { zero_share: zeroShare, need_weight_of_run: needWeight } = this.#settings;
    const runWeight = needWeight / Math.max(1, this.#run.needWeight);
    for (const { key, features } of pass.lines) {
      let need = 0;
      for (const index of this.#prepared.needs.onLine.get(key) ?? []) need += needed.get(index) ?? 0;
      if (need === 0 && drawOf(`${this.#run.digest} ${this.#window} ${pass.place} ${key}`) >= zeroShare) continue;
      const weight = runWeight / (need === 0 ? zeroShare : 1);
      this.#table.add(features, { need, weight, run: this.#number });
    }
  }

  /** Weights of the values that are first needed from the pass to `until`, and that only what has gone can give. */
  #neededAfter({ place, shown }: Pass, until: number): Map<number, number> {
    const { turns, byTurn } = this.#prepared.needs;
    const needed = new Map<number, number>();
    const seen = new Set<number>();
    for (const turn of turns) {
      if (turn < place || turn >= until) continue;
      for (const { index, weight, lastHeldBy } of byTurn.get(turn) ?? []) {
        if (lastHeldBy >= place || seen.has(index)) continue;
        seen.add(index);
        if (!shown.has(index)) needed.set(index, weight);
      }
    }
    return needed;
  }
}
