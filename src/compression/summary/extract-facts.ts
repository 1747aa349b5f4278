import type { ToolUse } from "../../model/block.ts";
import type { Passage } from "../../model/passage.ts";
import { type Call, readCall } from "./facts/call.ts";
import { ErrorFinder } from "./facts/errors.ts";
import type { FactFinder } from "./facts/finder.ts";
import { goalOf } from "./facts/goal.ts";
import { factFinders } from "./facts/index.ts";
import { readProse } from "./facts/prose.ts";
import { sanitizeText } from "./sanitize.ts";
import { maskSecrets } from "./secrets.ts";
import { cleanSections, type SummarySections, sectionsBy } from "./sections.ts";

export interface ExtractedFacts {
  readonly sections: SummarySections;
  /** Labels of the calls that went well at last, whose errors in an earlier summary are resolved. */
  readonly good: ReadonlySet<string>;
}

/** What the task says, and nothing else, is the goal; what the caller calls a constraint is one. */
export interface Given {
  /** The text of the task; null when it is not known. */
  readonly task: string | null;
  readonly constraints: readonly string[];
}

const EXIT_CODE = /\b(?:return ?code|exit(?:ed)?(?: with)?(?: code| status)?|status code)\b[^\w\n-]{0,4}(-?\d{1,5})\b/i;
const FAILS =
  /^\s*(?:<[\w_]+>\s*)?(?:error\b|fatal\b|failed\b|failure\b|invalid\b|traceback\b|exception\b|usage:|\w+(?:Error|Exception):)/i;
/** Characters at either end of a result in which its outcome is told. */
const OUTCOME = 240;

/**
 * Facts of passages, in the order of the context: what the agent decided, the files it touched, errors in the words
 * of the results, what is done, under way and left, numbers, and the last stated intention. Reads each passage once,
 * in time linear in its length. What comes out is sanitised and without secrets; constraints come out as given.
 */
export function extractFacts(passages: readonly Passage[], { task, constraints }: Given): ExtractedFacts {
  const errors = new ErrorFinder();
  const finders: readonly FactFinder[] = [errors, ...factFinders.map((make) => make())];
  const calls = new Map<string, Call>();
  for (const passage of passages) readPassage(passage, finders, calls);
  const found = [...finders.map((finder) => finder.facts()), { goal: task === null ? [] : goalOf(task) }];
  const sections = sectionsBy((name) =>
    name === "constraints"
      ? constraints
      : found.flatMap((facts) => facts[name] ?? []).map((fact) => maskSecrets(sanitizeText(fact))),
  );
  const done = new Set(sections.done);
  const decisions = sections.decisions.filter((fact) => !done.has(fact));
  return { sections: cleanSections({ ...sections, decisions }), good: errors.good };
}

function readPassage(passage: Passage, finders: readonly FactFinder[], calls: Map<string, Call>): void {
  const { type, tool, text } = passage;
  if (type === "tool_result") {
    const call = tool === null || (tool.name === "" && tool.argumentsText === "") ? null : callOf(tool, calls);
    const result = { call, text, failed: hasFailed(passage), isError: passage.isError };
    for (const finder of finders) finder.result?.(result);
  } else if (type === "assistant_response" && tool !== null) {
    const call = callOf(tool, calls);
    for (const finder of finders) finder.call?.(call);
    if (call.thought !== null) tellProse(call.thought, finders);
  } else if (type === "assistant_response" || type === "thinking") {
    tellProse(text, finders);
  } else if (type === "user_message") {
    for (const finder of finders) finder.user?.(text);
  }
}

function tellProse(text: string, finders: readonly FactFinder[]): void {
  readProse(text, (sentence) => {
    for (const finder of finders) finder.sentence?.(sentence);
  });
}

/** A call and its result are read once. */
function callOf(tool: ToolUse, calls: Map<string, Call>): Call {
  const known = calls.get(tool.callId);
  // Some agents number their calls anew in each message.
  if (known !== undefined && known.argumentsText === tool.argumentsText && known.name === tool.name) return known;
  const call = readCall(tool);
  calls.set(tool.callId, call);
  return call;
}

function hasFailed({ isError, text }: Passage): boolean {
  if (isError) return true;
  const head = text.slice(0, OUTCOME);
  const told = EXIT_CODE.exec(head) ?? EXIT_CODE.exec(text.slice(-OUTCOME));
  return told === null ? FAILS.test(head) : told[1] !== "0";
}
