import type { Json, JsonObject } from "../../model/json.ts";
import type { SubtaskStatus } from "../../model/task.ts";

/** An entry of a todo list as an agent's tool call has it. `withdrawn`: the agent says it will not do it. */
export interface TodoItem {
  /** As the agent numbers them; null where its tool has no ids. */
  readonly id: string | null;
  readonly title: string;
  readonly status: SubtaskStatus | "withdrawn";
  readonly note?: string;
}

/** How one kind of agent writes its todo list. */
export interface TodoDialect {
  readonly summary: string;
  /** Names of the tool that writes the list; null: any tool may, by a parameter. */
  readonly tools: readonly string[] | null;
  /** The parameter that holds the list. */
  readonly parameter: string;
  /** The whole list in the arguments of a call; null when they hold none in this dialect. */
  read(input: JsonObject): readonly TodoItem[] | null;
}

/** Longest title, in characters: what is longer is no entry of a list. */
const MOST_TITLE = 1_000;
/** Longest note of an entry, in characters: a longer one stays in the call that has it. */
const MOST_NOTE = 2_000;

/** Words of an agent for the status of an entry. */
export type StatusWords = ReadonlyMap<string, TodoItem["status"]>;

/** The words that most agents share. */
export const USUAL_WORDS: StatusWords = new Map([
  ["pending", "planned"],
  ["in_progress", "in_progress"],
  ["completed", "done"],
  ["cancelled", "withdrawn"],
]);

/** Where the entries of a list have what is read of them. */
export interface EntryShape {
  readonly title: string;
  readonly words: StatusWords;
  readonly note?: string;
}

/**
 * The entries of a list of objects; null when one of them has no title, or a status that is none of the words: a list
 * that is not understood as a whole says nothing about what is done.
 */
export function readEntries(list: Json | undefined, shape: EntryShape): readonly TodoItem[] | null {
  if (!Array.isArray(list)) return null;
  const items = list.map((entry) => readEntry(entry, shape));
  return items.every((item) => item !== null) ? items : null;
}

function readEntry(entry: Json, { title, words, note }: EntryShape): TodoItem | null {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return null;
  const named = titleOf(entry[title]);
  const status = typeof entry["status"] === "string" ? words.get(entry["status"]) : undefined;
  if (named === null || status === undefined) return null;
  const { id } = entry;
  const said = note === undefined ? undefined : entry[note];
  return {
    id: typeof id === "string" || typeof id === "number" ? String(id).slice(0, 64) || null : null,
    title: named,
    status,
    ...(typeof said === "string" && said !== "" && said.length <= MOST_NOTE ? { note: said } : {}),
  };
}

/** A title that is fit to be one: words, and not too many. */
export function titleOf(value: Json | undefined): string | null {
  if (typeof value !== "string" || value.length > MOST_TITLE) return null;
  const title = value.trim();
  return title === "" ? null : title;
}
