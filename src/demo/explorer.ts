import { posix } from "node:path";
import type { CastMember } from "./cast.ts";
import { type Finding, Memory } from "./memory.ts";
import { Plan } from "./plan.ts";
import type { Random } from "./random.ts";
import type { Outcome, Repository, RepositoryFile } from "./repository.ts";
import type { Step } from "./tools.ts";

/** What stands in for a model: the text of its answer, and the calls in it. None: it is done. */
export interface Answer {
  readonly text: string;
  readonly steps: readonly Step[];
}

/** Characters of code in a token, about. */
const CHARACTERS_PER_TOKEN = 3.6;
/** Share of the window that one turn's reading takes. */
const SHARE_OF_TURN = 0.055;
/** Turns between two surveys, unless the member says otherwise. */
const SURVEY_EVERY = 7;
const SURVEY_CALLS = 8;
const SHARE_OF_SURVEY_CALL = 0.075;
/** The one result of a spike, as a multiple of the window. */
const SPIKE_SHARE = 1.3;
/** Findings that are not long ago. */
const LATE = 40;
/** Lines of a file that may be there. */
const LINES_OF_GUESS = 40;
/** Files in one `read_files`. */
const FILES_AT_ONCE = 40;

type Kind = "follow" | "read" | "again" | "return" | "guess" | "grep" | "list" | "command";

/** How often each kind of step is chosen, in shares that add up to 1. */
const KINDS: readonly (readonly [kind: Kind, share: number])[] = [
  ["follow", 0.28],
  ["read", 0.17],
  ["again", 0.1],
  ["return", 0.09],
  ["guess", 0.06],
  ["grep", 0.12],
  ["list", 0.08],
  ["command", 0.1],
];

/**
 * Explores the repository as an agent would: lists, reads, looks for the names it has read, follows imports, guesses at
 * files that are not there, reads once more what it has read, and comes back to what it read long ago. Its choices follow from the seed and from what the files hold; from the daemon come only
 * the handles of an agent that recalls.
 */
export class Explorer {
  readonly #member: CastMember;
  readonly #repository: Repository;
  readonly #random: Random;
  readonly #memory = new Memory();
  readonly #plan: Plan;
  readonly #areas: readonly string[];
  /** What the last turn's results told, in words. */
  #learnt: string[] = [];

  constructor(member: CastMember, dependencies: { readonly repository: Repository; readonly random: Random }) {
    this.#member = member;
    this.#repository = dependencies.repository;
    this.#random = dependencies.random;
    const areas = member.areas.filter((area) => this.#repository.under(area).length > 0);
    this.#areas = areas.length > 0 ? areas : ["."];
    this.#plan = new Plan(member, this.#memory);
  }

  /** The answer of a turn, counted from 1; the last one calls nothing. */
  answer(turn: number, isLast: boolean, handles: readonly string[]): Answer {
    const learnt = this.#learnt.join(" ");
    this.#learnt = [];
    if (isLast) return { text: `${learnt} ${this.#conclusion()}`.trim(), steps: [] };
    const [, second = "."] = this.#areas;
    const files = this.#repository.under(second).map(({ path }) => path);
    const steps = [...this.#plan.steps(turn, files), ...this.#choose(turn, handles)];
    return { text: [learnt, this.#lookBack(), this.#intent(steps)].filter((part) => part !== "").join(" "), steps };
  }

  /** Takes in what a step of the last answer brought. */
  observe(step: Step, outcome: Outcome): void {
    const { tool, args } = step;
    if (outcome.isError) {
      this.#learnt.push(`\`${tool}\` failed: ${outcome.text.split("\n")[0]?.slice(0, 80)}.`);
    } else if (tool === "read_file") {
      this.#memory.keep(step);
      this.#learnFile(String(args["path"]), outcome.text);
    } else if (tool === "read_files") {
      const paths = args["paths"] as string[];
      for (const path of paths) this.#memory.learn(path, this.#repository.textOf(path) ?? "");
      this.#learnt.push(`I have read ${paths.length} files from \`${paths[0]}\` to \`${paths.at(-1)}\`.`);
    } else if (tool === "grep") {
      const paths = [...new Set(outcome.text.split("\n").map((line) => line.split(":")[0] as string))];
      if (outcome.text === "no matches") this.#learnt.push(`Nothing holds \`${args["pattern"]}\`.`);
      else {
        this.#memory.see(paths.filter((path) => this.#repository.textOf(path) !== undefined));
        this.#learnt.push(`\`${args["pattern"]}\` stands in ${paths.length} files, first in \`${paths[0]}\`.`);
      }
    } else if (tool === "delegate") {
      this.#learnt.push(`The helper has reported on: ${args["title"]}.`);
    } else if (tool !== "TodoWrite" && tool !== "write_note") {
      this.#learnt.push(`${outcome.text.split("\n").length} lines came of \`${args["command"] ?? tool}\`.`);
    }
  }

  #choose(turn: number, handles: readonly string[]): Step[] {
    const { calls, recalls, spikeAt, surveyEvery = SURVEY_EVERY, window } = this.#member;
    if (turn === 1) return [this.#list()];
    if (turn === spikeAt) return [this.#readMany(window * SPIKE_SHARE)];
    if (turn % surveyEvery === 0) {
      return distinct(Array.from({ length: SURVEY_CALLS }, () => this.#readMany(window * SHARE_OF_SURVEY_CALL)));
    }
    const count = 1 + this.#random.below(calls);
    const wanted = Array.from({ length: count }, () => this.#step((window * SHARE_OF_TURN) / count));
    const recall = this.#random.next() < 0.4;
    const handle = this.#random.pick(handles);
    return recalls && recall && handle !== undefined
      ? [{ tool: "recall", args: { handle } }, ...wanted.slice(1)]
      : distinct(wanted);
  }

  #step(tokens: number): Step {
    switch (this.#kind()) {
      case "follow": {
        const next = this.#memory.takeNext();
        const file = this.#repository.files.find(({ path }) => path === next);
        return file ? this.#readOne(file, tokens) : this.#readSome(tokens);
      }
      case "grep":
        return this.#grep(this.#memory.findings.slice(-LATE), tokens);
      case "return":
        return this.#grep(this.#memory.findings.slice(0, -LATE), tokens);
      case "again":
        return this.#random.pick(this.#memory.earlierReads) ?? this.#readSome(tokens);
      case "guess":
        return this.#guess() ?? this.#readSome(tokens);
      case "list":
        return this.#list();
      case "command":
        return { tool: "run_command", args: { command: this.#command() } };
      case "read":
        return this.#readSome(tokens);
    }
  }

  #grep(findings: readonly Finding[], tokens: number): Step {
    const finding = this.#random.pick(findings);
    if (!finding) return this.#readSome(tokens);
    const matches = Math.max(5, Math.floor((tokens * CHARACTERS_PER_TOKEN) / 100));
    const path = this.#repository.under("src").length > 0 ? "src" : ".";
    return { tool: "grep", args: { pattern: finding.name, path, max_matches: matches } };
  }

  /** The beginning of the test that a file would have, under the name that it would have: there may be none. */
  #guess(): Step | undefined {
    const path = this.#random.pick(this.#memory.findings)?.path;
    if (!path?.startsWith("src/")) return undefined;
    const test = path.replace(/^src/, "test").replace(/\.([cm]?[jt]s)$/, ".test.$1");
    return { tool: "read_file", args: { path: test, first_line: 1, lines: LINES_OF_GUESS } };
  }

  #kind(): Kind {
    let left = this.#random.next();
    for (const [kind, share] of KINDS) {
      left -= share;
      if (left < 0) return kind;
    }
    return "read";
  }

  /** An area, the first ones more often. */
  #area(): string {
    return this.#areas[Math.min(this.#random.below(this.#areas.length), this.#random.below(this.#areas.length))] ?? ".";
  }

  #list(): Step {
    return { tool: "list_files", args: { path: this.#area(), entries: 20 + this.#random.below(40) } };
  }

  #command(): string {
    const area = this.#area();
    const file = this.#random.pick(this.#repository.under(area))?.path ?? area;
    const folder = posix.dirname(file);
    const commands = [
      `git log --oneline -n ${5 + this.#random.below(20)} -- ${folder}`,
      `git log --oneline --stat -n ${2 + this.#random.below(4)} -- ${folder}`,
      `wc -l ${this.#filesAround(file)
        .slice(0, 12)
        .map(({ path }) => path)
        .join(" ")}`,
      `ls -p ${folder}`,
      "node --version",
    ];
    return this.#random.pick(commands) as string;
  }

  #readSome(tokens: number): Step {
    const files = this.#repository.under(this.#area());
    const fresh = files.filter(({ path }) => !this.#memory.hasRead(path));
    return this.#readFrom(this.#random.pick(fresh.length > 0 ? fresh : files) as RepositoryFile, tokens);
  }

  /** About so many tokens of one file: all of it, or some lines from anywhere in it. */
  #readOne({ path, bytes }: RepositoryFile, tokens: number): Step {
    const total = (this.#repository.textOf(path) ?? "").split("\n").length;
    const wanted = Math.max(10, Math.ceil((total * tokens * CHARACTERS_PER_TOKEN) / bytes));
    if (wanted >= total) return { tool: "read_file", args: { path, first_line: 1, lines: total } };
    const first = this.#memory.hasRead(path) ? 1 + this.#random.below(total - wanted) : 1;
    return { tool: "read_file", args: { path, first_line: first, lines: wanted } };
  }

  /** At least so many tokens, where the repository has them. */
  #readMany(tokens: number): Step {
    return this.#readFrom(this.#random.pick(this.#repository.under(this.#area())) as RepositoryFile, tokens);
  }

  /** About so many tokens: of one file that is large enough, else this file and those behind it. */
  #readFrom(start: RepositoryFile, tokens: number): Step {
    const characters = tokens * CHARACTERS_PER_TOKEN;
    if (start.bytes > characters * 0.7) return this.#readOne(start, tokens);
    const paths: string[] = [];
    let read = 0;
    for (const { path, bytes } of this.#filesAround(start.path)) {
      if (read + bytes > characters * 1.3) continue;
      paths.push(path);
      read += bytes;
      if (read >= characters || paths.length === FILES_AT_ONCE) break;
    }
    return { tool: "read_files", args: { paths } };
  }

  /** All files from this one on, and from the beginning again. */
  #filesAround(path: string): RepositoryFile[] {
    const { files } = this.#repository;
    const at = files.findIndex((file) => file.path === path);
    return [...files.slice(at), ...files.slice(0, at)];
  }

  #learnFile(path: string, text: string): void {
    const names = this.#memory.learn(path, text);
    const shown = names.slice(0, 4).map((name) => `\`${name}\``);
    const lines = text.split("\n").length;
    this.#learnt.push(
      shown.length === 0
        ? `These ${lines} lines of \`${path}\` declare nothing.`
        : `\`${path}\` (${lines} lines) has ${shown.join(", ")}.`,
    );
  }

  /** Now and then, something from long ago is needed again. */
  #lookBack(): string {
    const comesBack = this.#random.next() < 0.3;
    const finding = this.#random.pick(this.#memory.findings);
    return comesBack && finding ? `This goes together with \`${finding.name}\` of \`${finding.path}\`.` : "";
  }

  #intent(steps: readonly Step[]): string {
    return steps.map(intentOf).join(" ");
  }

  #conclusion(): string {
    const names = this.#memory.findings.slice(-8).map(({ name, path }) => `\`${name}\` (${path})`);
    return `I have read ${this.#memory.filesRead} files. What matters most here: ${names.join(", ")}.`;
  }
}

function intentOf({ tool, args }: Step): string {
  switch (tool) {
    case "list_files":
      return `I look at what is in \`${args["path"]}\`.`;
    case "read_file":
      return `I read \`${args["path"]}\` from line ${args["first_line"]}.`;
    case "read_files":
      return `I read ${(args["paths"] as string[]).length} files from \`${(args["paths"] as string[])[0]}\` on.`;
    case "grep":
      return `Where else is \`${args["pattern"]}\`?`;
    case "run_command":
      return `I run \`${String(args["command"]).slice(0, 60)}\`.`;
    case "TodoWrite":
      return "I bring my list up to date.";
    case "write_note":
      return "I write that down.";
    case "delegate":
      return `I send a helper: ${args["title"]}.`;
    case "recall":
      return `I need the text of ${args["handle"]} again.`;
  }
}

/** A model does not make the same call twice in one answer. */
function distinct(steps: readonly Step[]): Step[] {
  return [...new Map(steps.map((step) => [JSON.stringify(step), step])).values()];
}
