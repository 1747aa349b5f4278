import type { Decision, Subtask, SubtaskStatus } from "../model/task.ts";
import { decisionLine, issueLine, learningLine, nextStepLine, subtaskLine } from "../model/task-line.ts";

/** What the standing message says of the task, beside its goal. */
export interface TaskStanding {
  readonly subtasks: readonly Subtask[];
  readonly next_step: string | null;
  readonly open_issues: readonly string[];
  readonly decisions: readonly Decision[];
  readonly learnings: readonly string[];
}

/** A line of the task, whole: it is shown or counted. */
interface TaskLine {
  readonly text: string;
  readonly rank: number;
}

/** What an agent must not lose comes first; what it has done and learnt last. */
const RANKS: Readonly<Record<SubtaskStatus, number>> = { in_progress: 1, blocked: 2, planned: 3, done: 6 };
const NEXT_STEP = 0;
const OPEN_ISSUE = 4;
const DECISION = 5;
const LEARNING = 7;

/** The lines that fit into `limitTokens`, in their order, and how many do not. */
export function chooseTaskLines(
  task: TaskStanding,
  limitTokens: number,
  count: (text: string) => number,
): { readonly lines: readonly string[]; readonly leftOut: number; readonly tokens: number } {
  const all = linesOf(task);
  const chosen = new Set<TaskLine>();
  let tokens = 0;
  for (const line of [...all].sort((a, b) => a.rank - b.rank)) {
    const cost = count(`${line.text}\n`);
    if (tokens + cost > limitTokens) continue;
    tokens += cost;
    chosen.add(line);
  }
  const lines = all.filter((line) => chosen.has(line)).map(({ text }) => text);
  return { lines, leftOut: all.length - lines.length, tokens };
}

function linesOf({ subtasks, next_step, open_issues, decisions, learnings }: TaskStanding): TaskLine[] {
  return [
    ...subtasks.map((subtask) => ({ text: subtaskLine(subtask), rank: RANKS[subtask.status] })),
    ...(next_step === null ? [] : [{ text: nextStepLine(next_step), rank: NEXT_STEP }]),
    ...open_issues.map((issue) => ({ text: issueLine(issue), rank: OPEN_ISSUE })),
    ...decisions.map((decision) => ({ text: decisionLine(decision), rank: DECISION })),
    ...learnings.map((learning) => ({ text: learningLine(learning), rank: LEARNING })),
  ];
}
