import { ContextdError } from "../model/errors.ts";
import { grouped } from "../replay/grouping.ts";
import type { TuneRun } from "./trial.ts";

/** Numbers in [0, 1). */
export type Random = () => number;

/** Fewer tasks than this on a side tell nothing of other tasks. */
export const LEAST_TASKS = 5;

export interface Split {
  readonly training: readonly TuneRun[];
  readonly heldBack: readonly TuneRun[];
}

/**
 * Parts the runs by their tasks, so that no task is on both sides: of each family the given share of the tasks, to
 * within one, goes to training. Throws invalid_params when a side would have fewer than five tasks.
 *
 * @param share of the tasks that train, 0 to 1.
 */
export function splitByTask(runs: readonly TuneRun[], share: number, random: Random): Split {
  const tasks = inFamilies(runs, random).flat();
  const wanted = trainingTasks(tasks.length, share);
  if (wanted < LEAST_TASKS || tasks.length - wanted < LEAST_TASKS) {
    throw new ContextdError(
      "invalid_params",
      `Tuning takes ${tasksNeeded(share)} tasks or more (${LEAST_TASKS} to train on, ${LEAST_TASKS} to hold back, at a train share of ${share}); these runs have ${tasks.length} that fit a window: give more runs, smaller windows, or a share nearer to 0.5.`,
      { path: "path" },
    );
  }
  // Walking family by family, every n-th task trains: each family is parted like the whole.
  const trains = (at: number) =>
    Math.floor(((at + 1) * wanted) / tasks.length) > Math.floor((at * wanted) / tasks.length);
  return {
    training: tasks.flatMap((task, at) => (trains(at) ? task : [])),
    heldBack: tasks.flatMap((task, at) => (trains(at) ? [] : task)),
  };
}

/** The tasks in an order of which every beginning has the families about as the whole has them. */
export function spreadTasks(runs: readonly TuneRun[], random: Random): TuneRun[][] {
  const placed = inFamilies(runs, random).flatMap((tasks) => {
    const offset = random();
    return tasks.map((task, at) => ({ task, place: (at + offset) / tasks.length }));
  });
  return placed.sort((a, b) => a.place - b.place).map(({ task }) => task);
}

/** Families, each with its tasks in random order, each with its runs. */
function inFamilies(runs: readonly TuneRun[], random: Random): TuneRun[][][] {
  const families = [...grouped(runs, ({ family }) => family)].sort(([a], [b]) => (a < b ? -1 : 1));
  return families.map(([, own]) => shuffled([...grouped(own, ({ task }) => task).values()], random));
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(Math.floor(random() * rest.length), 1)[0] as Item);
}

function trainingTasks(tasks: number, share: number): number {
  return Math.round(tasks * share);
}

function tasksNeeded(share: number): number {
  let tasks = 2 * LEAST_TASKS;
  while (trainingTasks(tasks, share) < LEAST_TASKS || tasks - trainingTasks(tasks, share) < LEAST_TASKS) tasks++;
  return tasks;
}
