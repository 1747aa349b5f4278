import type { Passage } from "../model/passage.ts";
import { buildProbes } from "./build.ts";
import { judgeLexically } from "./judge-lexical.ts";

/**
 * Whether a shorter text in the place of a passage still answers so much of what it is asked, a share from 0 to 1. What
 * nothing can be asked of is told by any text.
 */
export function tellsShare(passage: Passage, text: string, floor: number, perType: number): boolean {
  const probes = buildProbes({ goal: null, constraints: [], passages: [passage] }, { perType });
  return probes.length === 0 || judgeLexically(probes, [text]).score >= floor;
}
