import { shortened } from "./phrase.ts";

/** A task that is not longer is its own goal. */
const SHORT_TASK = 320;
const LONGEST = 280;
/** Characters of a task that are looked through. */
const MOST_READ = 65_536;

/** Lines in which a title is looked for. */
const MOST_LINES = 20;

/** A block that holds what is to be done: its first line is its title. */
const BLOCK =
  /<((?:\w+[_-])?(?:issue|pr|task|problem|description|goal|request|objective|bug|statement)(?:[_-]\w+)?)>([\s\S]*?)(?:<\/\1>|$)/i;

/** A sentence that asks for something. */
const ASKS =
  /(?:^|[.!?\n]\s*)((?:(?:can|could|would) you|please|your (?:task|job|goal) is|you (?:need|have|are asked) to|help me|i (?:want|need|would like)|implement|fix|add|write|create|build|solve|find|refactor|update|make|migrate|remove|investigate|figure out)\b[^\n]{10,600}?(?:[.!?](?=\s|$)|\n|$))/i;

/** What is to be done, in the task's own words: all of a short task; of a long one its title and what it asks for. */
export function goalOf(task: string): string[] {
  const text = task.slice(0, MOST_READ).trim();
  if (text === "") return [];
  if (task.trim().length <= SHORT_TASK) return [shortened(text, SHORT_TASK)];
  const block = BLOCK.exec(text);
  // What is asked for stands outside the block that describes it, where there is one.
  const asked = (block === null ? null : ASKS.exec(text.replace(block[0], "\n"))) ?? ASKS.exec(text);
  const title = titleOf(block?.[2] ?? text);
  const goals = [title, asked?.[1] ?? ""].map((each) => shortened(each, LONGEST)).filter((each) => each.length > 3);
  return goals.length === 0 ? [shortened(text, LONGEST)] : [...new Set(goals)];
}

/** The first line of words. */
function titleOf(text: string): string {
  for (const line of text.split("\n", MOST_LINES)) {
    const words = line.replace(/^[\s#>*-]+/, "").trim();
    if (words.length > 3 && /\p{L}{2}/u.test(words) && !/^<|:$/.test(words)) return words;
  }
  return "";
}
