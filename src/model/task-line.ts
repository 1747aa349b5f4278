import type { Decision, Subtask } from "./task.ts";

/** A piece of the task as the agent reads it: one line each, which begins with what it is. */
export function subtaskLine({ id, title, status, note }: Subtask): string {
  return `[${status}] ${oneLine(id)}: ${oneLine(title)}${note === undefined ? "" : ` (${oneLine(note)})`}`;
}

export function nextStepLine(step: string): string {
  return `next step: ${oneLine(step)}`;
}

export function issueLine(issue: string): string {
  return `open issue: ${oneLine(issue)}`;
}

export function decisionLine({ decision, rationale, alternatives }: Decision): string {
  const why = rationale === "" ? "" : ` because ${oneLine(rationale)}`;
  const instead = alternatives.length === 0 ? "" : ` (not: ${alternatives.map(oneLine).join("; ")})`;
  return `decided: ${oneLine(decision)}${why}${instead}`;
}

export function learningLine(learning: string): string {
  return `learned: ${oneLine(learning)}`;
}

/** A line that holds line breaks could pass for two. */
export function oneLine(text: string): string {
  return text.replace(/[\s\x85]+/gu, " ").trim();
}
