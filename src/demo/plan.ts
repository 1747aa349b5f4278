import type { JsonObject } from "../model/json.ts";
import type { CastMember } from "./cast.ts";
import type { Memory } from "./memory.ts";
import type { Step } from "./tools.ts";

/** Turns in which the list and the notes are written, apart from one another. */
const LIST_EVERY = 6;
const NOTE_EVERY = 5;
/** Files that a helper is sent to. */
const HELPER_FILES = 4;

/** How an agent keeps track of its work: a list of what is to be done, notes, and once a helper. */
export class Plan {
  readonly #member: CastMember;
  readonly #memory: Memory;

  constructor(member: CastMember, memory: Memory) {
    this.#member = member;
    this.#memory = memory;
  }

  /** What it does in a turn besides reading. `files`: what it could send a helper to. */
  steps(turn: number, files: readonly string[]): Step[] {
    const { plans, delegatesAt } = this.#member;
    const steps: Step[] = [];
    if (plans && (turn === 2 || turn % LIST_EVERY === 0)) steps.push(this.#list(turn));
    if (plans && turn % NOTE_EVERY === 0) steps.push(...this.#note(turn));
    if (turn === delegatesAt && files.length > 0) steps.push(this.#delegate(files));
    return steps;
  }

  /** An entry for each area; one is done each time that the list is written. */
  #list(turn: number): Step {
    const done = Math.floor(turn / LIST_EVERY);
    const entries = [
      "Look at what there is",
      ...this.#member.areas.map((area) => `Read ${area} and say which file decides what`),
      "Write the answer with the name of a file for each statement",
    ];
    const todos = entries.map((content, index): JsonObject => {
      const status = index < done ? "completed" : index === done ? "in_progress" : "pending";
      return { content, status, activeForm: content };
    });
    return { tool: "TodoWrite", args: { todos } };
  }

  #note(turn: number): Step[] {
    const finding = this.#memory.findings.at(-1);
    if (finding === undefined) return [];
    const { name, path } = finding;
    const kinds: readonly JsonObject[] = [
      { category: "learnings", importance: "normal", text: `\`${name}\` is declared in ${path}.` },
      { category: "decisions", importance: "high", text: `I follow \`${name}\` of ${path} before the tests.` },
      {
        category: "task_progress",
        importance: "normal",
        text: `${this.#memory.filesRead} files read by turn ${turn}.`,
      },
    ];
    return [{ tool: "write_note", args: kinds[(turn / NOTE_EVERY) % kinds.length] as JsonObject }];
  }

  #delegate(files: readonly string[]): Step {
    const area = this.#member.areas[1] ?? this.#member.areas[0];
    return {
      tool: "delegate",
      args: {
        title: `What ${area} declares`,
        goal: `Read these files of ${area}. Report what each one declares, and what it is for.`,
        files: files.slice(0, HELPER_FILES),
      },
    };
  }
}
