import { factsOfSentence, type ProbeKind } from "../candidate.ts";

/** Characters of the goal that say what it is; what follows are its particulars. */
const STATEMENT = 240;

export const goal: ProbeKind = {
  type: "goal",
  candidates({ goal: text }) {
    const facts = factsOfSentence(statementOf(text ?? ""));
    if (text === null || facts === null) return [];
    return [{ question: "What is the agent to achieve?", ...facts, blockId: null, turn: 0, salience: 1, at: 0 }];
  },
};

/** The first lines, as far as they say something. */
function statementOf(text: string): string {
  return text.trim().slice(0, STATEMENT);
}
