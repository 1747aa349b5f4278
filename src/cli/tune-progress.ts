import { SingleBar } from "cli-progress";
import type { Progress } from "../tune/index.ts";
import { shareDone, type TuneTerms, timeLeft } from "./tune-estimate.ts";

/** Tells of a tuning under way. */
export interface TuneProgress {
  update(progress: Progress): void;
  stop(): void;
}

const WHOLE = 1000;
const DOING = {
  start: "trying your settings",
  search: "searching",
  simplify: "leaving out what does not matter",
  held_back: "measuring on the held-back runs",
} as const;

/** A bar on standard error, for a terminal. */
export class ProgressBar implements TuneProgress {
  readonly #terms: TuneTerms;
  readonly #bar = new SingleBar({
    format: "{bar} {percentage} %, {left} left; {doing}{figures}",
    stream: process.stderr,
    clearOnComplete: true,
  });

  constructor(terms: TuneTerms) {
    this.#terms = terms;
    this.#bar.start(WHOLE, 0, { doing: "reading the runs", figures: "", left: "-" });
  }

  update(progress: Progress): void {
    this.#bar.update(Math.round(shareDone(progress, this.#terms) * WHOLE), {
      doing: DOING[progress.phase],
      left: timeLeft(progress, this.#terms),
      figures: figuresOf(progress),
    });
  }

  stop(): void {
    this.#bar.stop();
  }
}

/** A line where a phase begins, for logs. */
export class ProgressLines implements TuneProgress {
  readonly #terms: TuneTerms;
  readonly #write: (text: string) => void;
  #phase: Progress["phase"] | null = null;

  constructor(terms: TuneTerms, write: (text: string) => void) {
    this.#terms = terms;
    this.#write = write;
  }

  update(progress: Progress): void {
    if (progress.phase === this.#phase) return;
    this.#phase = progress.phase;
    const left = timeLeft(progress, this.#terms);
    this.#write(`${DOING[progress.phase]}${left === "-" ? "" : `, about ${left} left`}${figuresOf(progress)}\n`);
  }

  stop(): void {}
}

function figuresOf({ standings }: Progress): string {
  const leader = standings?.complete[0];
  if (standings === null || leader === undefined) return "";
  const tried = standings.tried.size - 1;
  return `; ${tried} tried, best ${leader.worth.toFixed(3)}, yours ${standings.start.worth.toFixed(3)}`;
}
