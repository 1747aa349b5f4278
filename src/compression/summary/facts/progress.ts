import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { Call } from "./call.ts";
import type { CallResult, FactFinder, Sentence } from "./finder.ts";
import { factKey, lastDistinct, shortened } from "./phrase.ts";

const MOST_DONE = 24;
const MOST_TODO = 16;
/** Items of one todo list that are read. */
const MOST_LISTED = 64;

/** Shorter statements ("I found it!") do not say what. */
const LEAST_DONE = 28;

/** Sentences that say that something was done or holds now. */
const DONE =
  /^(?:(?:great|perfect|excellent|good|nice|okay|ok|now|so|and|yes)[,!.]?\s+)?(?:(?:I|we)(?:'ve| have)(?: now| already| also| successfully| just)? (?!been\b|to\b|a\b|the\b|not\b|no\b|enough\b|an\b)\w+|(?:I|we) (?:just |also |already |successfully )?(?:fixed|added|created|updated|changed|removed|implemented|verified|confirmed|reproduced|modified|replaced|renamed|moved|wrote|installed|ran|tested|found|refactored|deleted|applied|extended|adjusted|corrected|completed|cancelled|canceled|booked|sent|submitted|processed|located)\b|(?:fixed|added|created|updated|implemented|removed|renamed|verified|installed|refactored|wrote|replaced|completed|reproduced|deployed|merged|configured|migrated|cancelled|booked)\b(?! (?:by|in|to|if|when)\b))|\bsuccessfully\b|\b(?:has|have) (?:now )?been (?:successfully )?\w+(?:ed|en|t)\b|\ball (?:\w+ ){0,3}tests (?:now )?pass|\b(?:is|are) now (?:fixed|working|passing|correct|complete|in place|available|active|enabled|disabled|resolved|handled)\b|\bworks? (?:now|correctly|as expected|perfectly)|\bnow (?:works|passes|returns|fails|raises)\b|\b(?:fix|change|test|script)\w* (?:works|passed|passes|is (?:working|correct|complete))\b/i;
const TICK = /[✅✔✓]/;
const NOT_DONE =
  /\?$|\b(?:if|once|until|would|should|could|might|not yet|haven't|hasn't|let me|I'll|I will|need to|going to|want to|doesn't|didn't|make sure)\b/i;

/** Sentences that say what is left to do. */
const LEFT =
  /\b(?:TODO|FIXME)\b|\b(?:still (?:need|have|must|to)|remains? to|remaining (?:step|task|work)|yet to be|left to do|not yet (?:done|implemented|tested|handled|fixed)|afterwards|follow-?up)\b/i;
/** A heading, or the line before a list, that makes its items a plan. */
const PLAN = /\b(?:plan|steps?|todo|to-do|to do|tasks?|remaining|next|need to|approach|will)\b/i;
/** Beginnings of an item that orders something. */
const ORDER =
  /^(?:\*\*)?(?:first|then|finally|next|now|add|check|create|fix|find|update|write|run|test|implement|modify|verify|look|remove|explore|examine|reproduce|change|replace|read|search|understand|analy[sz]e|refactor|ensure|make|handle|move|rename|use|set|edit|install|build|document|extend|identify|locate|review|open|cancel|book|send|ask|confirm)\b/i;

/** Sentences that say what comes next. */
const INTENT =
  /\b(?:next(?: step)?|let(?:'s| me(?! know)| us)|I(?:'ll| will| need to| should| must| have to|'m going to| am going to| want to| can| would like to)|we (?:need to|should|can|will|must)|would you like|do you (?:want|confirm)|(?:could|can) you|please (?:confirm|provide))\b/i;

/** Words of a status that a todo list gives its items. */
const STATUS_DONE = /^(?:done|completed?|finished|closed|resolved)$/i;
const STATUS_CURRENT = /^(?:in[_ -]?progress|active|doing|started|current)$/i;
const STATUS_TODO = /^(?:todo|to[_ -]do|pending|open|not[_ -]started|planned|blocked|new)$/i;
const LISTED_TEXT = ["content", "title", "task", "text", "step", "description", "name", "subject", "todo"];

/**
 * What was done, what is under way and what is left: statements of the agent, ticked and open boxes, plans, the todo
 * lists that agents write by a tool (the last one counts), and calls that changed something beside files.
 */
export class ProgressFinder implements FactFinder {
  readonly #done: string[] = [];
  #todo: string[] = [];
  #listed: { done: string[]; current: string[]; todo: string[] } | null = null;
  #heading: string | null = null;
  #intent: string | null = null;
  /** Items of the last plan. */
  #plan: string[] = [];
  #inPlan = false;
  #last: string | null = null;

  sentence({ text, kind }: Sentence): void {
    if (kind === "ticked_box") this.#done.push(shortened(text));
    else if (kind === "open_box") this.#todo.push(shortened(text));
    else if (kind !== "item" || !this.#inPlan) this.#statement(text, kind);
    else if (ORDER.test(text)) this.#plan.push(shortened(text));
  }

  #statement(text: string, kind: Sentence["kind"]): void {
    this.#inPlan = PLAN.test(text) && (kind === "heading" || text.endsWith(":"));
    if (this.#inPlan) this.#plan = [];
    if (kind === "heading") {
      this.#heading = shortened(text);
      return;
    }
    if (text.length >= LEAST_DONE && (DONE.test(text) || TICK.test(text)) && !NOT_DONE.test(text))
      this.#done.push(shortened(text));
    else if (LEFT.test(text) && !text.endsWith("?")) this.#todo.push(shortened(text));
    if (INTENT.test(text)) this.#intent = shortened(text.replace(/:$/, "."));
  }

  call(call: Call): void {
    this.#last = call.label;
    const listed = call.arguments === null ? null : todoList(call.arguments);
    if (listed !== null) this.#listed = listed;
  }

  result({ call, failed }: CallResult): void {
    if (call === null) return;
    this.#last = failed ? `${call.label} (failed)` : call.label;
    if (!failed && actsOutside(call)) this.#done.push(call.label);
  }

  facts(): { done: string[]; current: string[]; todo: string[]; next_step: string[] } {
    const done = lastDistinct([...(this.#listed?.done ?? []), ...this.#done], MOST_DONE);
    const listed = this.#listed?.current ?? [];
    const current = listed.length > 0 || this.#heading === null ? listed.slice(0, 3) : [this.#heading];
    if (this.#last !== null) current.push(`Last action: ${this.#last}`);
    const told = new Set(done.map(factKey));
    const todo = lastDistinct(this.#listed?.todo ?? [...this.#plan, ...this.#todo], MOST_TODO).filter(
      (item) => !told.has(factKey(item)),
    );
    return { done, current, todo, next_step: this.#intent === null ? [] : [this.#intent] };
  }
}

/** A call that changes something that is neither a file nor a shell: a booking, a message, a record. */
function actsOutside(call: Call): boolean {
  return (
    !call.onlyLooks &&
    call.files.length === 0 &&
    call.thought === null &&
    /^(?:[a-z]+__\w+?__)?(?:create|update|modify|cancel|send|book|add|remove|delete|set|make|submit|return|exchange|transfer|enable|disable|toggle|resume|suspend|reset|refuel|pay|assign|close|open|publish|deploy|merge|approve|grant|reboot|turn)_/i.test(
      call.name,
    )
  );
}

/** The todo list that a call's arguments hold: a list of objects with a text and a status. */
function todoList(args: JsonObject): { done: string[]; current: string[]; todo: string[] } | null {
  for (const value of Object.values(args)) {
    const items = Array.isArray(value) ? value.slice(0, MOST_LISTED) : [];
    const listed = { done: [] as string[], current: [] as string[], todo: [] as string[] };
    for (const item of items) {
      const text = isJsonObject(item) ? textOf(item) : null;
      const status = isJsonObject(item) ? statusOf(item) : null;
      if (text !== null && status !== null) listed[status].push(shortened(text));
    }
    if (listed.done.length + listed.current.length + listed.todo.length > 0) return listed;
  }
  return null;
}

function textOf(item: JsonObject): string | null {
  for (const key of LISTED_TEXT) {
    const text: Json | undefined = item[key];
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return null;
}

function statusOf(item: JsonObject): "done" | "current" | "todo" | null {
  const status = item["status"] ?? item["state"];
  if (typeof status !== "string") return null;
  if (STATUS_DONE.test(status)) return "done";
  if (STATUS_CURRENT.test(status)) return "current";
  return STATUS_TODO.test(status) ? "todo" : null;
}
