import { type Candidate, factsOfSentence, type ProbeKind, standing } from "../candidate.ts";
import { isName } from "../words.ts";

/** Says what was decided, found to be the cause, or settled for good. */
const SETTLED =
  /\b(?:decid\w+|decision|chos(?:e|en)|opt(?:ed|ing) (?:for|to)|go(?:ing)? with|settled on|root cause|instead of|rather than|the (?:fix|solution|answer|problem|issue|bug|cause|reason|correct \w+|right \w+|best \w+) (?:is|was|are|would be|lies|seems)|turns out|conclu\w+|confirm(?:s|ed)|cannot be|can't be|not (?:eligible|allowed|possible|supported|permitted)|(?:has|have) been (?:successfully )?\w+ed)\b/i;

/** Gives a reason, or tells what was changed. */
const REASONED =
  /\b(?:because|so that|therefore|which means|means that|due to|needs? to be|should (?:be|use|return|not|only)|I(?:'ve| have)? (?:fixed|changed|added|removed|replaced|implemented|updated|created|moved|renamed|found))\b/i;

/** A plan or a question decides nothing. */
const OPEN =
  /\?\s*$|^(?:let me|let's|now,? (?:i|let)|next,? |i'll (?:look|check|read|start|see)|i will (?:look|check|read|start|see)|i (?:need|want) to)/i;

export const decision: ProbeKind = {
  type: "decision",
  candidates: (original) =>
    original.said.flatMap(({ text, passage, at }): Candidate[] => {
      const weight = OPEN.test(text) ? 0 : SETTLED.test(text) ? 2 : REASONED.test(text) ? 1.25 : 0;
      const facts = weight > 0 ? factsOfSentence(text) : null;
      if (facts === null) return [];
      const key = facts.facts[0] ?? "";
      const salience = weight + (isName(key) ? 0.5 : 0) + standing(original, [key], at);
      const question = `What was decided or found out about ${key}, and why?`;
      return [{ question, ...facts, blockId: passage.blockId, turn: passage.turn, salience, at }];
    }),
};
