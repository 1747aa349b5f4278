import type { CheckpointReason } from "../../model/events.ts";
import { NOTE_CATEGORIES, NOTE_IMPORTANCES } from "../../model/note.ts";
import type { SubtaskStatus } from "../../model/task.ts";
import type { CheckpointDocument } from "./document.ts";
import { environmentLines } from "./markdown-environment.ts";
import { code, fenced, inline, isOneLine, quoted } from "./markdown-text.ts";

/** Most characters of the goal that the title shows. */
const TITLE = 120;

const WHY: Readonly<Record<CheckpointReason, string>> = {
  milestone: "a milestone was reached",
  threshold: "the window was filling up",
  overflow: "the provider refused the context as too long",
  window_change: "the next window was opened",
  close: "the session was closed",
  requested: "it was asked for",
};

/**
 * The checkpoint as a page of Markdown for people, as GitHub shows it: what comes next first, then what is known, then
 * what happened. Empty sections are left out. What agents and users wrote stands there as text, whatever it looks like.
 */
export function markdownOf(document: CheckpointDocument): string {
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ["Next step", document.next_step === null ? [] : paragraph(document.next_step)],
    ["In progress", subtasksOf(document, "in_progress")],
    ["Blocked", subtasksOf(document, "blocked")],
    ["Planned", subtasksOf(document, "planned")],
    ["Done", subtasksOf(document, "done")],
    ["Goal", document.task.goal === null || isTitle(document.task.goal) ? [] : quoted(document.task.goal)],
    ["Constraints and criteria", constraintsOf(document)],
    ["Decisions", document.decisions.flatMap(decisionLines)],
    ["Open issues", document.open_issues.flatMap((issue) => item(issue))],
    ["Learnings", document.learnings.flatMap((learning) => item(learning))],
    ["Notes", notesOf(document)],
    ["Environment", environmentLines(document.environment)],
    ["Delegated work", document.delegations.map(delegationLine)],
    ["What happened so far", document.summary === null ? [] : quoted(document.summary.text)],
    ["Carried lines", document.ledger === null || document.ledger.trim() === "" ? [] : fenced(document.ledger)],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  const parts = [head(document), ...shown.map(([title, lines]) => [`## ${title}`, "", ...trimmed(lines)])];
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function head(document: CheckpointDocument): string[] {
  const { goal } = document.task;
  const first = goal === null ? "" : firstLine(goal);
  const { tokens, max_tokens } = document.context;
  const facts = [
    `Session ${code(document.session_id)}`,
    `window ${document.window_number}`,
    `turn ${document.turn}`,
    `state version ${document.state_version}`,
    `checkpoint ${document.checkpoint_id}`,
    `saved ${timeOf(document.saved_at)} because ${WHY[document.reason]}`,
    `${figure(tokens)} of ${figure(max_tokens)} tokens`,
  ];
  const left = document.left_out?.map((field) => code(field)).join(", ");
  return [
    // Number signs at the end of a heading would close it.
    `# ${first === "" ? "Checkpoint" : inline(first).replace(/ (?=#+$)/, " \\")}`,
    "",
    facts.join(" · "),
    ...(left === undefined ? [] : ["", `Left out, because the checkpoint would have been too big: ${left}.`]),
  ];
}

/** `2026-01-31 12:00:00 UTC`. */
function timeOf(iso: string): string {
  return `${iso.slice(0, 19).replace("T", " ")} UTC`;
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split(/[\n\r\u2028\u2029]/);
  return line.length <= TITLE ? line : `${line.slice(0, TITLE - 1).trimEnd()}…`;
}

/** True when the title says all of it. */
function isTitle(goal: string): boolean {
  return firstLine(goal) === goal.trim();
}

function paragraph(text: string): readonly string[] {
  return isOneLine(text) ? [inline(text)].filter((line) => line !== "") : quoted(text);
}

/** An entry of a list: its first line, and what follows quoted below. */
function item(text: string): string[] {
  const first = firstLine(text);
  const entry = `- ${inline(first) || "(empty)"}`;
  if (first === text.trim()) return [entry];
  const whole = text.trim();
  return [entry, ...below(whole.startsWith(first) ? whole.slice(first.length) : whole)];
}

/** Lines within an entry of a list. */
function below(text: string): string[] {
  return ["", ...quoted(text).map((line) => `  ${line}`), ""];
}

function subtasksOf({ subtasks }: CheckpointDocument, wanted: SubtaskStatus): string[] {
  return subtasks
    .filter(({ status }) => status === wanted)
    .flatMap(({ id, title, status, note = "" }) => {
      const box = status === "done" ? "[x]" : "[ ]";
      const entry = `- ${box} ${inline(title) || "(untitled)"} (${code(id)})`;
      if (note.trim() === "") return [entry];
      return isOneLine(note) ? [`${entry}: ${inline(note)}`] : [entry, ...below(note)];
    });
}

function constraintsOf({ task, user_rules }: CheckpointDocument): string[] {
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ["Constraints", task.constraints],
    ["It is done when", task.success_criteria],
    ["The user's rules", user_rules],
  ];
  return spaced(
    groups
      .filter(([, texts]) => texts.length > 0)
      .map(([title, texts]) => [`### ${title}`, "", ...texts.flatMap((text) => item(text))]),
  );
}

function decisionLines({ decision, rationale, alternatives }: CheckpointDocument["decisions"][number]): string[] {
  const others = alternatives.filter((text) => text.trim() !== "").map(inline);
  return [
    ...item(decision),
    ...(rationale.trim() === "" ? [] : labelled("Why", rationale)),
    ...(others.length === 0 ? [] : [`  - Instead of: ${others.join("; ")}`]),
  ];
}

function labelled(label: string, text: string): string[] {
  if (isOneLine(text)) return [`  - ${label}: ${inline(text)}`];
  return [`  - ${label}:`, ...below(text).map((line) => (line === "" ? "" : `  ${line}`))];
}

function notesOf({ notes }: CheckpointDocument): string[] {
  const groups = NOTE_CATEGORIES.map((category) => {
    const ofIt = NOTE_IMPORTANCES.flatMap((importance) =>
      notes.filter((note) => note.category === category && note.importance === importance),
    );
    const entries = ofIt.flatMap(({ note_id, importance, text }) => {
      const name = `- ${code(note_id)} (${importance})`;
      return isOneLine(text) ? [`${name}: ${inline(text)}`] : [name, ...below(text)];
    });
    return entries.length === 0 ? [] : [`### ${CATEGORY_TITLES[category]}`, "", ...entries];
  });
  return spaced(groups.filter((lines) => lines.length > 0));
}

const CATEGORY_TITLES: Readonly<Record<(typeof NOTE_CATEGORIES)[number], string>> = {
  constraints: "On constraints",
  decisions: "On decisions",
  bugs: "On bugs",
  task_progress: "On progress",
  learnings: "On what was learnt",
  misc: "Other notes",
};

function delegationLine({
  delegation_id,
  child_session_id,
  title,
  status,
  budget_tokens,
}: CheckpointDocument["delegations"][number]): string {
  const about = `${code(child_session_id)}, ${status}, ${figure(budget_tokens)} tokens`;
  return `- ${code(delegation_id)} ${inline(title) || "(untitled)"} (${about})`;
}

function spaced(groups: readonly (readonly string[])[]): string[] {
  return groups.flatMap((lines, index) => (index === 0 ? trimmed(lines) : ["", ...trimmed(lines)]));
}

/** Without empty lines at the end. */
function trimmed(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line !== "");
  return lines.slice(0, last + 1);
}

function figure(count: number): string {
  return String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
}
