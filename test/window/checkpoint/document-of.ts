import type { CheckpointDocument } from "../../../src/window/checkpoint/index.ts";
import { type CheckpointFields, makeCheckpoint } from "../../../src/window/checkpoint/index.ts";

export const STATED = {
  goal: "Port the parser to the new grammar",
  success_criteria: ["all tests pass"],
  constraints: ["never touch vendor/"],
};

export const FIELDS: CheckpointFields = {
  checkpoint_id: "c3",
  session_id: "parser/port",
  agent: "coder",
  profile: "default",
  model: "gpt-5",
  message_format: "openai",
  window_id: "parser/port#2",
  window_number: 2,
  turn: 41,
  state_version: 57,
  reason: "threshold",
  saved_at: "2026-03-04T05:06:07.890Z",
  ttl_seconds: 3600,
  task: { goal: STATED.goal, success_criteria: STATED.success_criteria, constraints: STATED.constraints },
  user_rules: ["Always answer in French."],
  subtasks: [
    { id: "t1", title: "Read the grammar", status: "done" },
    { id: "t2", title: "Write the lexer", status: "in_progress", note: "strings are left" },
    { id: "t3", title: "Write the parser", status: "planned" },
    { id: "t4", title: "Publish", status: "blocked", note: "no credentials" },
  ],
  next_step: "Run `npm test` in src/lexer.",
  decisions: [
    { decision: "Write the lexer by hand", rationale: "faster than a table", alternatives: ["generated", "regex"] },
  ],
  open_issues: ["Error 42 in src/lexer.ts:17"],
  learnings: ["The grammar has two start symbols."],
  notes: [
    { note_id: "n1", category: "bugs", importance: "normal", text: "Tabs count as eight." },
    { note_id: "n2", category: "bugs", importance: "critical", text: "Line one.\nLine two." },
  ],
  environment: { branch: "port", cwd: "/home/me/parser", files: { "src/lexer.ts": "a1b2c3d4" }, node: 20 },
  delegations: [
    { delegation_id: "d1", child_session_id: "parser/port/d1", title: "Docs", status: "open", budget_tokens: 20_000 },
  ],
  summary: { text: "The grammar was read.\nThe lexer was begun.", generation: 2 },
  ledger: "src/lexer.ts:17: error 42\n",
  context: { tokens: 108_800, max_tokens: 128_000, utilization: 0.85 },
};

export const asIs = (text: string) => text;

/** A document of a session in the midst of its work, with other fields where some are given. */
export function documentOf(fields: Partial<CheckpointFields> = {}): CheckpointDocument {
  return makeCheckpoint({ ...FIELDS, ...fields }, { mask: asIs, statedTask: STATED });
}

/** As it travels. */
export function wireOf(document: CheckpointDocument): Record<string, unknown> {
  return JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
}
