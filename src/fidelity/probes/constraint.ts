import { type Candidate, factsOfSentence, type ProbeKind, standing } from "../candidate.ts";

/** Characters of a constraint that are looked for word by word. */
const VERBATIM = 200;

/** Marks of a rule that a user gives in passing. */
const RULE =
  /\b(?:must(?:n't)?|never|always|do not|don't|only|without|make sure|ensure|at (?:most|least)|no more than|prefer|avoid|should(?:n't)?|require[sd]?|have to|not (?:to|change|touch|use)|unless)\b/i;

/** Constraints of the task stand word for word; of a rule given in passing most of what it is about. */
const RULE_SHARE = 0.75;
/** The task's come before what users say on the way. */
const GIVEN = 10;

export const constraint: ProbeKind = {
  type: "constraint",
  candidates(original) {
    const question = "Which rule must the agent keep?";
    const given = original.constraints
      .filter((text) => text.trim() !== "")
      .map(
        (text, at): Candidate => ({
          question,
          facts: [text.trim().slice(0, VERBATIM)],
          within: null,
          share: 1,
          blockId: null,
          turn: 0,
          // Those given first are the first to be asked for.
          salience: GIVEN - at / 1000,
          at: 0,
        }),
      );
    const stated = original.asked.flatMap(({ text, passage, at }): Candidate[] => {
      const facts = RULE.test(text) ? factsOfSentence(text) : null;
      if (facts === null) return [];
      const salience = 1 + standing(original, facts.facts.slice(0, 1), at);
      return [{ question, ...facts, share: RULE_SHARE, blockId: passage.blockId, turn: passage.turn, salience, at }];
    });
    return [...given, ...stated];
  },
};
