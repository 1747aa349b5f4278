import type { JsonObject } from "../../src/model/json.ts";

/** The plan that an agent follows while a recorded run is played: its words stand in no run. */
export const CONSTRAINTS = ["Never push to the branch zephyr-main.", "Keep  the double  blanks of «quoted» text."];
export const CRITERIA = ["The zephyr checks are all green."];
export const NOTE = "The zephyr cache lives in /var/zephyr/cache-7.";
export const DECISION = "use the zephyr adapter";
export const ISSUE = "the zephyr port 4711 is taken now and then";

/** Turns after which the subtask under way is done. */
export const TURNS_A_SUBTASK = 7;

const id = (subtask: number) => `z${subtask}`;
const title = (subtask: number) => `Zephyr part ${subtask} of the work`;
export const nextStepAt = (subtask: number) => `look at zephyr place ${subtask}`;

/** The subtask of that number under way, the next one planned. */
export function planAt(subtask: number): JsonObject {
  return {
    subtasks: [
      { id: id(subtask), title: title(subtask), status: "in_progress" },
      { id: id(subtask + 1), title: title(subtask + 1), status: "planned" },
    ],
    next_step: nextStepAt(subtask),
    decisions: [{ decision: DECISION }],
    open_issues: [ISSUE],
  };
}

/** That subtask has come under way: the one before it is done. */
export function progressAt(subtask: number): JsonObject {
  const { subtasks, next_step } = planAt(subtask);
  const before = { id: id(subtask - 1), status: "done" };
  return { subtasks: [before, ...(subtasks as JsonObject[])], next_step: next_step as string };
}

/** What is wrong with how a context shows the plan. `crossings`: windows left before it. */
export function shownFaults(
  text: string,
  { subtask, isNew, crossings }: { subtask: number; isNew: boolean; crossings: number },
): string[] {
  const faults: string[] = [];
  for (const unfinished of [subtask, subtask + 1]) {
    if (text.includes(`[done] ${id(unfinished)}:`)) faults.push(`${id(unfinished)} is shown as done`);
  }
  const line = (told: string) => (text.includes(told) ? [] : [`does not show ${told}`]);
  if (isNew || crossings > 0) faults.push(...[...CONSTRAINTS, ...CRITERIA].flatMap(line));
  if (!isNew) return faults;
  faults.push(...line(`[in_progress] ${id(subtask)}: ${title(subtask)}`), ...line(`next step: ${nextStepAt(subtask)}`));
  // What there is no room for in a small window is counted, with where it can be read.
  const counted = text.slice(text.lastIndexOf("Not shown here:"));
  if (!/1 (?:blocked or )?open/.test(counted)) faults.push(...line(ISSUE));
  if (!counted.includes("1 decided")) faults.push(...line(DECISION));
  if (!counted.includes("1 note")) faults.push(...line(NOTE));
  return faults;
}
