import type { Progress } from "../tune/index.ts";

export interface TuneTerms {
  readonly budgetMs: number | null;
  readonly trials: number | null;
  /** ms since the command began. */
  elapsed(): number;
}

/** Work of the phases in trials of all training runs, as tunings of real runs had it. */
const WORK = { start: 1, simplify: 4, held_back: 2 } as const;
/** Work of one candidate of a search: most are tried on a part of the runs alone. */
const WORK_OF_CANDIDATE = 0.33;

/** The share of a tuning that is done, 0 to 1: of its time where that is set, else of its work. */
export function shareDone({ phase, standings }: Progress, { budgetMs, trials, elapsed }: TuneTerms): number {
  if (budgetMs !== null) return Math.min(1, elapsed() / budgetMs);
  const search = WORK_OF_CANDIDATE * (trials ?? 0);
  const tried = standings === null ? 0 : standings.tried.size - 1;
  const before = {
    start: 0,
    search: WORK.start + Math.min(search, WORK_OF_CANDIDATE * tried),
    simplify: WORK.start + search,
    held_back: WORK.start + search + WORK.simplify,
  };
  return before[phase] / (before.held_back + WORK.held_back);
}

/** Time left, for people; a dash before there is anything to tell it by. */
export function timeLeft(progress: Progress, terms: TuneTerms): string {
  const done = shareDone(progress, terms);
  if (terms.budgetMs === null && done === 0) return "-";
  const ms = terms.budgetMs === null ? (terms.elapsed() * (1 - done)) / done : terms.budgetMs - terms.elapsed();
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
