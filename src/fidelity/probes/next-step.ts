import { type Candidate, factsOfSentence, type ProbeKind } from "../candidate.ts";
import type { ReadOriginal } from "../original.ts";

const NEXT =
  /\b(?:next(?:,| step| i\b| we\b)|now,? (?:i|let|we)\b|i(?:'ll| will| need to| should| am going to|'m going to)|let(?:'s| me| us)|then i|remaining|still (?:need|have) to|to ?do\b|waiting for|please (?:confirm|provide|let me know)|would you like)\b/i;

const QUESTION = "What did the agent say that it would do next?";

/** Open points of a list: as Markdown has them, or as tools for such lists take them. */
const UNTICKED = /^[ \t]{0,40}[-*] \[ \] (.{8,300})$/gm;
const CLOSED = /"status"\s*:\s*"(?:completed|done|cancelled)"/;

/** The last step that was announced, and the points that the last list of them leaves open. */
export const nextStep: ProbeKind = {
  type: "next_step",
  candidates(original) {
    const { said } = original;
    const last = said.findLast(({ text }) => NEXT.test(text) && factsOfSentence(text) !== null);
    const announced = last === undefined ? [] : probeOf(last.text, last, 2);
    return [...announced, ...openPoints(original)];
  },
};

function openPoints({ passages, calls }: ReadOriginal): Candidate[] {
  const at = passages.findLastIndex(
    ({ type, text }) => type !== "tool_result" && text.includes("[ ]") && text.search(UNTICKED) >= 0,
  );
  const call = calls.findLast(({ passage }) => passage.text.includes('"pending"'));
  if (call !== undefined && call.at > at) {
    const items = call.passage.text.match(/\{[^{}]*\}/g) ?? [];
    return items
      .filter((item) => item.includes('"pending"') && !CLOSED.test(item))
      .flatMap((item, order) => {
        const text = /"(?:content|title|step|task|description)"\s*:\s*"([^"]{8,300})"/.exec(item)?.[1];
        return text === undefined ? [] : probeOf(text, call, 1 - order / 100);
      });
  }
  const passage = passages[at];
  if (passage === undefined) return [];
  return [...passage.text.matchAll(UNTICKED)].flatMap(([, text = ""], order) =>
    probeOf(text, { passage, at }, 1 - order / 100),
  );
}

function probeOf(
  text: string,
  { passage, at }: Pick<ReadOriginal["said"][number], "passage" | "at">,
  salience: number,
): Candidate[] {
  const facts = factsOfSentence(text);
  return facts === null
    ? []
    : [{ question: QUESTION, ...facts, blockId: passage.blockId, turn: passage.turn, salience, at }];
}
