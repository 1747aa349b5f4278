import { shortened } from "./phrase.ts";

/** A task that is not longer is its own goal. */
const SHORT_TASK = 320;
const LONGEST = 280;
/** Characters of a task that are looked through. */
const MOST_READ = 24_000;

/** A block that holds what is to be done: its first line is its title. */
const BLOCK =
  /<(?:\w+[_-])?(?:issue|pr|task|problem|description|goal|request|objective|bug|statement)(?:[_-]\w+)?>\s*\n?([\s\S]{1,2000})/i;
/** A sentence that asks for something. */
const ASKS =
  /(?:^|[.!?\n]\s*)((?:(?:can|could|would) you|please|your (?:task|job|goal) is|you (?:need|have|are asked) to|help me|i (?:want|need|would like)|implement|fix|add|write|create|build|solve|find|refactor|update|make|migrate|remove|investigate|figure out)\b[^\n]{10,600}?(?:[.!?](?=\s|$)|\n|$))/i;

/** What is to be done, in the task's own words: all of a short task; of a long one its title and what it asks for. */
export function goalOf(task: string): string[] {
  const text = task.slice(0, MOST_READ).trim();
  if (text === "") return [];
  if (task.trim().length <= SHORT_TASK) return [shortened(text, SHORT_TASK)];
  const title = titleOf(text);
  const asked = ASKS.exec(text)?.[1] ?? "";
  const goals = [title, asked].map((each) => shortened(each, LONGEST)).filter((each) => each.length > 3);
  return goals.length === 0 ? [shortened(text, LONGEST)] : [...new Set(goals)];
}

/** The first line of words in the block that states the task; without one the first line of words of all. */
function titleOf(text: string): string {
  const block = BLOCK.exec(text)?.[1];
  for (const line of (block ?? text).split("\n")) {
    const words = line.replace(/^[\s#>*-]+/, "").trim();
    if (words.length > 3 && /\p{L}{2}/u.test(words) && !/^<|:$/.test(words)) return words;
  }
  return "";
}
