import type { FactFinder, Sentence } from "./finder.ts";
import { lastDistinct, shortened } from "./phrase.ts";

/** Fewer than others: the clearest of them are wanted, and a fold sees no more than their age. */
const MOST = 10;
/** Most of what a user said after the task. */
const MOST_OF_USER = 8;
const LONGEST_OF_USER = 200;
/** A message of the user that is longer was pasted, and its sentences are no answers. */
const PASTED = 2_000;

/** Sentences that decide, or say what was found out. */
const DECIDES =
  /\b(?:decid(?:e|ed|ing)|cho(?:ose|se|sen)|opt(?:ed|ing)? (?:for|to)|go(?:ing)? with|went with|settled? on|in favou?r of|best (?:approach|way|solution|option|place)|better to|right (?:fix|approach|place|way)|cleanest|simplest (?:fix|approach|way|solution)|root cause|culprit|turns out|this confirms|confirm(?:s|ed) that|conclu(?:de|ded|sion)|trade-?offs?|won't|will not|no need to|key (?:insight|issue|point|is))\b|\b(?:the|this|my|real|actual|underlying|main|core) (?:issue|problem|bug|cause|fix|solution|error|reason|reproduction|failure|difference|change)\b(?: here)? (?:is|was|lies|seems|appears|happens|occurs|comes|stems|must be)\b|\b(?:not (?:eligible|allowed|possible|permitted|supported)|cannot be|can't be|unable to|only be)\b/i;
/** Sentences that give a reason. */
const REASONS =
  /\b(?:because|instead of|rather than|so that|in order to|to avoid|to ensure|to prevent|therefore|thus|hence|which means|this means|since|due to|caused by|as a result|that's why|should(?:n't| not)? (?:use|have|only|also)|needs? to be|must)\b/i;
/** Something that has a name: a path, code, a symbol, an id. */
const NAMES = /`[^`]+`|\b\w+\(\)|\b\w+_\w+|\b[a-z]+[A-Z]\w+|\b\w+\.\w{1,4}\b(?!\s[A-Z])|\w\/\w|#?\b(?=\w*\d)\w{4,}\b/;
const UNSURE =
  /\b(?:maybe|perhaps|might|not sure|i expect|wonder|possibly|i think|probably|could be|let me (?:check|see|look)|i(?:'ll| will| need to| should| want to) (?:check|look|see|verify|try|read|search|explore|examine|run|find|list|start))\b/i;
const ASIDE = /^(?:let me|let's|oh|ah|yeah|wait|hmm)\b|^(?:okay|ok|so|but wait|now|first)\b[^.]{0,60}$|[?…]$|\.\.\.$/i;

interface Weighed {
  readonly text: string;
  readonly weight: number;
}

/** A sentence counts from this weight on: it decides, or gives a reason for something with a name. */
const LEAST_WEIGHT = 3;

/**
 * What was decided and why: the agent's sentences that decide, that tell a cause or give a reason, and what the user
 * said after the task. The clearest, in the order in which they came.
 */
export class DecisionFinder implements FactFinder {
  readonly #said: Weighed[] = [];
  readonly #user: string[] = [];

  sentence({ text, kind }: Sentence): void {
    if (kind === "heading" || text.length < 24 || text.length > 600) return;
    const weight = weightOf(text);
    if (weight >= LEAST_WEIGHT) this.#said.push({ text: shortened(text), weight });
  }

  user(text: string): void {
    const words = text.trim();
    if (words === "" || words.length > PASTED || /^[<{[]/.test(words)) return;
    this.#user.push(`User said: "${shortened(words, LONGEST_OF_USER).replaceAll('"', "'")}"`);
  }

  facts(): { decisions: string[] } {
    const user = lastDistinct(this.#user, MOST_OF_USER);
    const said = this.#said.map((each, at) => ({ ...each, at }));
    said.sort((a, b) => b.weight - a.weight || b.at - a.at);
    const clearest = said.slice(0, 2 * MOST).sort((a, b) => a.at - b.at);
    const distinct = lastDistinct(
      clearest.map(({ text }) => text),
      MOST,
    );
    return { decisions: [...user, ...distinct] };
  }
}

function weightOf(text: string): number {
  const decides = DECIDES.test(text);
  const reasons = REASONS.test(text);
  if ((!decides && !reasons) || ASIDE.test(text)) return 0;
  return (
    (decides ? 3 : 0) +
    (reasons ? 2 : 0) +
    (NAMES.test(text) ? 1 : 0) -
    (UNSURE.test(text) ? 2 : 0) -
    (text.endsWith(":") ? 1 : 0)
  );
}
