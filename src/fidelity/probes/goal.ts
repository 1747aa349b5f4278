import { factsOfSentence, type ProbeKind } from "../candidate.ts";
import { sentencesOf } from "../sentences.ts";

/** Characters of a goal that is one statement: a longer one holds particulars, and often what comes with every task. */
const STATEMENT = 320;
/** Characters of a longer goal that are read. */
const READ = 24_000;

/** Where a prompt marks what is asked for. */
const MARKED =
  /<[\w-]{0,40}(?:issue|description|task|problem|goal|request|objective|ticket|question)[\w-]{0,40}>([\s\S]*)/i;

export const goal: ProbeKind = {
  type: "goal",
  candidates({ goal: text }) {
    const facts = factsOfSentence(statementOf(text?.trim() ?? ""));
    if (facts === null) return [];
    return [{ question: "What is the agent to achieve?", ...facts, blockId: null, turn: 0, salience: 1, at: 0 }];
  },
};

/** A short goal whole; of a long one the first sentence that says something, behind the mark where there is one. */
function statementOf(text: string): string {
  if (text.length <= STATEMENT) return text;
  const read = text.slice(0, READ);
  const sentences = sentencesOf(MARKED.exec(read)?.[1] ?? read);
  // What ends with a colon announces the statement.
  const says = (sentence: string) => !sentence.endsWith(":") && factsOfSentence(sentence) !== null;
  return sentences.find(says) ?? text.slice(0, STATEMENT);
}
