import type { Json } from "../../model/json.ts";
import { type TodoItem, titleOf } from "./dialect.ts";

/** A line as `- [x] Write the test`. A dash or tilde in the box: begun. */
const ITEM = /^\s*(?:[-*+]|\d{1,4}[.)])?\s*\[([ xX~-])\]\s+(\S.*)$/;

/** The items of a Markdown checklist; other lines say nothing. Null when there is no item. */
export function readChecklist(text: Json | undefined): readonly TodoItem[] | null {
  if (typeof text !== "string") return null;
  const items: TodoItem[] = [];
  for (const line of text.split("\n")) {
    const [, box, words] = ITEM.exec(line) ?? [];
    const title = titleOf(words);
    if (box !== undefined && title !== null) items.push({ id: null, title, status: statusOf(box) });
  }
  return items.length === 0 ? null : items;
}

function statusOf(box: string): TodoItem["status"] {
  if (box === "x" || box === "X") return "done";
  return box === " " ? "planned" : "in_progress";
}
