import type { Passage } from "../../model/passage.ts";
import { type Candidate, type ProbeKind, standing } from "../candidate.ts";
import { type FileAct, filesNamed, filesOfCommand, filesOfPatch, isPath } from "../file-acts.ts";
import type { Call, ReadOriginal } from "../original.ts";

const PATH_KEY =
  /^(?:path|paths|file|files|file_?path|filename|file_?name|target_?file|notebook_?path|uri|destination|source)$/i;
const PATCH_KEY = /^(?:patch|diff|input|changes)$/i;
const COMMAND_KEY = /^(?:command|cmd|script|code|bash|shell|)$/i;

const WRITES = /edit|write|insert|replace|patch|update|append|apply|modify|rename|move|save/i;
const CREATES = /create|add_file|new_file/i;
const DELETES = /delete|remove_file/i;

const QUESTION: Readonly<Record<FileAct["act"], string>> = {
  created: "Which file did the agent create?",
  changed: "Which file did the agent change?",
  deleted: "Which file did the agent delete?",
  read: "Which file did the agent work from?",
  named: "Which file did the agent speak of?",
};

const WEIGHT: Readonly<Record<FileAct["act"], number>> = { created: 3, changed: 3, deleted: 3, read: 0.5, named: 0.25 };

/** Names that many folders have: their folder is part of what they are. */
const COMMON =
  /^(?:index|main|__init__|__main__|mod|lib|utils?|helpers?|tests?|conftest|setup|readme|config|settings|models?|views|types|package|makefile|dockerfile|core|base)\b/i;

/** What is known of one file. */
interface Known {
  readonly act: FileAct["act"];
  readonly passage: Passage;
  readonly at: number;
  readonly times: number;
}

export const file: ProbeKind = {
  type: "file",
  candidates(original) {
    const files = filesOf(original);
    const names = shortestNames([...files.keys()]);
    return [...files].map(([path, { act, passage, at, times }]): Candidate => {
      const fact = names.get(path) ?? path;
      return {
        question: QUESTION[act],
        facts: [fact],
        within: null,
        share: 1,
        blockId: passage.blockId,
        turn: passage.turn,
        salience: WEIGHT[act] + Math.min(1, Math.log2(times) / 2) + mentions(original, fact, at),
        at,
      };
    });
  },
};

/** Every file with the heaviest thing that was done with it, and the last time that it was. */
function filesOf({ calls, said }: ReadOriginal): Map<string, Known> {
  const files = new Map<string, Known>();
  const note = ({ path, act }: FileAct, { passage, at }: Pick<Known, "passage" | "at">): void => {
    const known = files.get(path);
    const times = (known?.times ?? 0) + 1;
    if (known !== undefined && WEIGHT[act] < WEIGHT[known.act]) files.set(path, { ...known, times });
    else files.set(path, { act: known?.act === "created" ? "created" : act, passage, at, times });
  };
  for (const call of calls) for (const found of filesOfCall(call)) note(found, call);
  for (const sentence of said) {
    for (const { path, act } of filesNamed(sentence.text)) note({ path: plainPath(path), act }, sentence);
  }
  return files;
}

function mentions(original: ReadOriginal, fact: string, at: number): number {
  const stem = (fact.split("/").at(-1) ?? "").replace(/\.\w+$/, "");
  return standing(original, [stem], at);
}

function filesOfCall({ name, strings }: Call): FileAct[] {
  const verb = strings.find(([key]) => key === "command" || key === "action" || key === "mode")?.[1] ?? "";
  const tool = isVerb(verb) ? verb : name;
  const act = CREATES.test(tool) ? "created" : DELETES.test(tool) ? "deleted" : WRITES.test(tool) ? "changed" : "read";
  return strings.flatMap(([key, value]): FileAct[] => {
    if (PATH_KEY.test(key) && isPath(value)) return [{ path: plainPath(value), act }];
    if (PATCH_KEY.test(key))
      return filesOfPatch(value).map(({ path, act: done }) => ({ path: plainPath(path), act: done }));
    if (!COMMAND_KEY.test(key) || isVerb(value)) return [];
    return [...filesOfCommand(value), ...filesOfPatch(value)].map((found) => ({
      ...found,
      path: plainPath(found.path),
    }));
  });
}

/** A sub-command of a tool, as "str_replace": not a command line. */
function isVerb(text: string): boolean {
  return /^[a-z_]{2,30}$/.test(text);
}

function plainPath(path: string): string {
  return path
    .trim()
    .replace(/^file:\/\//, "")
    .replace(/^(?:\.?\/)+/, "");
}

/** For each path the shortest end of it that tells it from the others: its prefix changes with the folder one is in. */
function shortestNames(paths: readonly string[]): Map<string, string> {
  const byBase = new Map<string, string[]>();
  for (const path of paths) {
    const base = path.split("/").at(-1) ?? path;
    byBase.set(base, [...(byBase.get(base) ?? []), path]);
  }
  const names = new Map<string, string>();
  for (const [base, group] of byBase) {
    for (const path of group) {
      const parts = path.split("/");
      const others = group.filter(
        (other) => !other.endsWith(`/${path}`) && !path.endsWith(`/${other}`) && other !== path,
      );
      let length = COMMON.test(base) ? Math.min(2, parts.length) : 1;
      while (
        length < parts.length &&
        others.some((other) => `/${other}`.endsWith(`/${parts.slice(-length).join("/")}`))
      )
        length++;
      names.set(path, parts.slice(-length).join("/"));
    }
  }
  return names;
}
