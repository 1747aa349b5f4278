import type { JsonObject } from "../../model/json.ts";
import { inOrder, NOTE_LABEL_TOKENS, type Note, noteLine } from "../../model/note.ts";
import type { Decision, Subtask, SubtaskStatus } from "../../model/task.ts";
import { decisionLine, issueLine, learningLine, nextStepLine, oneLine, subtaskLine } from "../../model/task-line.ts";
import type { Check } from "./check.ts";
import { environmentChecks } from "./environment-checks.ts";
import { toldText } from "./told-value.ts";

/** The sections that are shown as far as there is room. */
export const SECTIONS = [
  "checks",
  "current",
  "blockers",
  "remaining",
  "done",
  "decisions",
  "learnings",
  "notes",
  "summary",
] as const;
export type SectionName = (typeof SECTIONS)[number];

/** What the bootstrap says of the task, beside its goal and its rules. */
export interface BootstrapTask {
  readonly subtasks: readonly Subtask[];
  readonly next_step: string | null;
  readonly open_issues: readonly string[];
  readonly decisions: readonly Decision[];
  readonly learnings: readonly string[];
  readonly environment: JsonObject;
}

/** A line that is shown whole or counted. */
export interface BootstrapLine {
  readonly section: SectionName;
  readonly text: string;
  /** Lines of a lower rank get their room first. */
  readonly rank: number;
  /** Where they are known, at most. */
  readonly tokens?: number;
  /** Id of the note that it shows. */
  readonly noteId?: string;
}

/** Most subtasks that are done whose titles are shown, the last ones: the others are counted. */
export const MOST_DONE = 5;

/** What gets its room first when there is little of it. */
const RANKS = {
  nextStep: 0,
  underWay: 1,
  check: 2,
  blocker: 3,
  criticalNote: 4,
  remaining: 5,
  decision: 6,
  learning: 7,
  note: 8,
  notedCheck: 9,
  summary: 10,
  done: 11,
} as const;

/** The lines of all sections, each section's in the order in which they are shown. */
export function linesOf(
  task: BootstrapTask,
  notes: readonly Note[],
  summary: string | null,
  mask: (text: string) => string,
): BootstrapLine[] {
  const of = (status: SubtaskStatus) => task.subtasks.filter((subtask) => subtask.status === status);
  const told = (section: SectionName, rank: number, texts: readonly string[]): BootstrapLine[] =>
    texts.map((text) => ({ section, rank, text }));
  return [
    ...checksOf(task, mask),
    ...told("current", RANKS.underWay, of("in_progress").map(subtaskLine)),
    ...told("current", RANKS.nextStep, task.next_step === null ? [] : [nextStepLine(task.next_step)]),
    ...told("blockers", RANKS.blocker, [...of("blocked").map(subtaskLine), ...task.open_issues.map(issueLine)]),
    ...told("remaining", RANKS.remaining, of("planned").map(subtaskLine)),
    ...told("done", RANKS.done, of("done").map(titleLine)),
    ...told("decisions", RANKS.decision, task.decisions.map(decisionLine)),
    ...told("learnings", RANKS.learning, task.learnings.map(learningLine)),
    ...inOrder(notes).map((note) => ({
      section: "notes" as const,
      rank: note.importance === "critical" ? RANKS.criticalNote : RANKS.note,
      text: noteLine(note),
      tokens: note.tokens + NOTE_LABEL_TOKENS,
      noteId: note.id,
    })),
    ...told("summary", RANKS.summary, summary === null ? [] : [summary]),
  ];
}

function checksOf(task: BootstrapTask, mask: (text: string) => string): BootstrapLine[] {
  const underWay = task.subtasks.filter(({ status }) => status === "in_progress" || status === "blocked");
  const focus = [task.next_step ?? "", ...underWay.map(subtaskLine), ...task.open_issues].join("\n");
  return environmentChecks(task.environment, { mask, focus }).map((check) => ({
    section: "checks",
    rank: check.isKnown ? RANKS.check : RANKS.notedCheck,
    text: checkLine(check, mask),
  }));
}

function checkLine({ key, expected, ask }: Check, mask: (text: string) => string): string {
  return expected === null ? `- ${ask}` : `- ${ask} Expected ${toldText(key, mask)}: ${expected}`;
}

/** What was done is told without what was noted of it. */
function titleLine({ id, title }: Subtask): string {
  return `[done] ${oneLine(id)}: ${oneLine(title)}`;
}
