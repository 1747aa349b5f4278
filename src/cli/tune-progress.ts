import { SingleBar } from "cli-progress";
import type { Progress } from "../tune/index.ts";

interface ProgressOptions {
  readonly budgetMs: number | null;
  readonly trials: number | null;
  /** ms since the command began. */
  elapsed(): number;
}

/** Parts of the work at whose end each phase stands, where no time is set for the whole. */
const DONE_BY = { start: 0.05, search: 0.8, simplify: 0.9, held_back: 1 } as const;
const WHOLE = 1000;
const DOING = {
  start: "trying your settings",
  search: "searching",
  simplify: "leaving out what does not matter",
  held_back: "measuring on the held-back runs",
} as const;

/** The bar of a tuning under way, on standard error. */
export class TuneProgress {
  readonly #options: ProgressOptions;
  readonly #bar = new SingleBar({
    format: "{bar} {percentage} %, {left} left; {doing}{figures}",
    stream: process.stderr,
    clearOnComplete: true,
  });

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#bar.start(WHOLE, 0, { doing: "reading the runs", figures: "", left: "?" });
  }

  update({ phase, standings }: Progress): void {
    const tried = standings === null ? 0 : standings.tried.size - 1;
    const done = this.#done(phase, tried);
    const leader = standings?.complete[0];
    this.#bar.update(Math.round(done * WHOLE), {
      doing: DOING[phase],
      left: this.#left(done),
      figures:
        standings === null || leader === undefined
          ? ""
          : `; ${tried} tried, best ${leader.worth.toFixed(3)}, yours ${standings.start.worth.toFixed(3)}`,
    });
  }

  stop(): void {
    this.#bar.stop();
  }

  #done(phase: Progress["phase"], tried: number): number {
    const { budgetMs, trials, elapsed } = this.#options;
    if (budgetMs !== null) return Math.min(1, elapsed() / budgetMs);
    if (phase !== "search" || trials === null) return DONE_BY[phase];
    return DONE_BY.start + (DONE_BY.search - DONE_BY.start) * Math.min(1, tried / trials);
  }

  #left(done: number): string {
    const { budgetMs, elapsed } = this.#options;
    const ms = budgetMs === null ? (elapsed() * (1 - done)) / done : budgetMs - elapsed();
    const seconds = Math.max(0, Math.round(ms / 1000));
    return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  }
}
