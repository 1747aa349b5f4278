import type { Passage } from "../../model/passage.ts";
import { extractFacts, type Given } from "./extract-facts.ts";
import { errorItem, errorSource } from "./facts/errors.ts";
import { type FoldLimit, foldSummary } from "./fold.ts";
import { type SummarySections, sectionsBy } from "./sections.ts";

export interface ExtractiveInput extends FoldLimit {
  /** The summary that stands already; null for the first. */
  readonly previous: SummarySections | null;
  /** What is newly dropped, in the order of the context. */
  readonly passages: readonly Passage[];
  /** The text of the task, from which alone the goal is taken; null when it is not known. */
  readonly goal: string | null;
  /** In the user's words: the summary's constraints, whatever the earlier one said. */
  readonly constraints: readonly string[];
}

/**
 * The summary without a model: facts of what is newly dropped, folded on the summary before. Errors of the earlier
 * summary whose call went well since are marked as resolved.
 */
export function extractiveSummary(input: ExtractiveInput): SummarySections {
  const given: Given = { task: input.goal, constraints: input.constraints };
  const { sections, good } = extractFacts(input.passages, given);
  const previous = input.previous === null ? null : earlier(input.previous, good);
  return foldSummary(previous, sections, input);
}

function earlier(previous: SummarySections, good: ReadonlySet<string>): SummarySections {
  return sectionsBy((name) => {
    if (name === "constraints") return [];
    return name === "errors" ? previous.errors.map((item) => resolvedIf(item, good)) : previous[name];
  });
}

function resolvedIf(item: string, good: ReadonlySet<string>): string {
  const source = errorSource(item);
  if (source === null || source.resolved || !good.has(source.label)) return item;
  return errorItem(source.label, item.split("\n").slice(1), true);
}
