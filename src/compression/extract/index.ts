import type { Passage } from "../../model/passage.ts";
import { diff } from "./diff.ts";
import type { ExtractOptions, Extractor } from "./extractor.ts";
import { json } from "./json.ts";
import { listing } from "./listing.ts";
import { log } from "./log.ts";
import { plain } from "./plain.ts";
import { searchHits } from "./search-hits.ts";
import { stackTrace } from "./stack-trace.ts";
import { testOutput } from "./test-output.ts";

/** The extractors by name, in the order in which they are asked whether a text is of their kind; the last takes any. */
export const extractors = {
  json,
  diff,
  test_output: testOutput,
  stack_trace: stackTrace,
  search_hits: searchHits,
  listing,
  log,
  plain,
} as const satisfies Readonly<Record<string, Extractor>>;

/** The extractor of the text's kind; null for a text of no kind in particular. */
export function recognise(passage: Passage): Extractor | null {
  const found = Object.values(extractors).find((extractor) => extractor.recognises(passage));
  return found === undefined || found === plain ? null : found;
}

export type { ExtractOptions, Extractor };
