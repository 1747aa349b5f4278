import type { Count } from "../within-tokens.ts";
import { shortened } from "./facts/phrase.ts";
import { isResolved, mergeSections } from "./merge.ts";
import {
  emptySections,
  headingLine,
  renderItem,
  renderSummary,
  type SectionName,
  type SummarySections,
  sectionsBy,
} from "./sections.ts";

export interface FoldLimit {
  /** Tokens of the rendered summary at most, unless goal and constraints alone have more. */
  readonly limitTokens: number;
  readonly count: Count;
}

/**
 * Shares of what goal and constraints leave, in the order in which what a section does not need is handed on. They
 * add up to 1. Errors come first.
 */
export const SECTION_SHARES = {
  errors: 0.18,
  decisions: 0.24,
  next_step: 0.14,
  current: 0.06,
  files: 0.14,
  todo: 0.06,
  numbers: 0.1,
  done: 0.08,
} as const satisfies Partial<Record<SectionName, number>>;

type CutSection = keyof typeof SECTION_SHARES;
const CUT_SECTIONS = Object.keys(SECTION_SHARES) as readonly CutSection[];

/** Sections whose first item weighs most; in the others the last is the newest. */
const BY_RANK: ReadonlySet<SectionName> = new Set(["files", "errors"]);

/** Characters of an item at most; only goal and constraints may be longer. */
const LONGEST_ITEM = 900;

/**
 * One summary of an earlier one and of what was dropped since, within a limit: the anchored fold.
 *
 * The facts of both are merged (see `mergeSections`). Goal and constraints are never cut. Every other section has a
 * share of the room that these leave, and takes its newest (of files and errors its weightiest) facts first; what
 * a section leaves free goes to the next one that needs it. So older facts leave before newer ones, resolved errors
 * before others, and a fact that is stated again stays.
 */
export function foldSummary(
  previous: SummarySections | null,
  next: SummarySections,
  limit: FoldLimit,
): SummarySections {
  return withinLimit(mergeSections(previous ?? emptySections(), next), limit);
}

function withinLimit(all: SummarySections, { limitTokens, count }: FoldLimit): SummarySections {
  const fitting = sectionsBy((name) => (isCut(name) ? all[name].map(bounded) : all[name]));
  if (count(renderSummary(fitting)) <= limitTokens) return fitting;
  const fixed = sectionsBy((name) => (isCut(name) ? [] : fitting[name]));
  const room = limitTokens - count(renderSummary(fixed));
  const taken = takeShares(fitting, Math.max(0, room), count);
  // Tokens are not additive at the seams: what is too much then leaves by the same order.
  for (;;) {
    const cut = sectionsBy((name) => (isCut(name) ? taken.itemsOf(name, fitting[name]) : fitting[name]));
    if (count(renderSummary(cut)) <= limitTokens || !taken.dropOne()) return cut;
  }
}

function isCut(name: SectionName): name is CutSection {
  return name in SECTION_SHARES;
}

function bounded(item: string): string {
  if (item.length <= LONGEST_ITEM) return item;
  const end = item.lastIndexOf("\n", LONGEST_ITEM);
  return end > 0 ? `${item.slice(0, end)}\n…` : shortened(item, LONGEST_ITEM);
}

/** Which items of each section are kept, by their number in the section. */
class Taken {
  /** In the order in which they were taken. */
  readonly #items: { readonly name: CutSection; readonly at: number }[] = [];

  take(name: CutSection, at: number): void {
    this.#items.push({ name, at });
  }

  /** Gives up what was taken last. */
  dropOne(): boolean {
    return this.#items.pop() !== undefined;
  }

  itemsOf(name: CutSection, items: readonly string[]): string[] {
    const kept = new Set(this.#items.filter((each) => each.name === name).map(({ at }) => at));
    return items.filter((_, at) => kept.has(at));
  }
}

/** What of a section is still to be taken. */
interface Queue {
  readonly name: CutSection;
  /** Numbers of the items, what weighs most first. */
  order: number[];
  /** Tokens left of the section's share. */
  room: number;
  started: boolean;
}

function takeShares(sections: SummarySections, room: number, count: Count): Taken {
  const taken = new Taken();
  const costOf = (name: CutSection, at: number): number => count(`${renderItem(sections[name][at] ?? "")}\n`);
  const queues = CUT_SECTIONS.map((name): Queue => {
    const order = sections[name].map((_, at) => at);
    return {
      name,
      order: BY_RANK.has(name) ? order : order.reverse(),
      room: room * SECTION_SHARES[name],
      started: false,
    };
  });
  for (const queue of queues) takeFrom(queue, taken, costOf, count);
  let spare = queues.reduce((sum, queue) => sum + queue.room, 0);
  // What is left over goes by the order of the sections; resolved errors wait until nothing else needs it.
  const errors = queues[0] as Queue;
  const waiting = errors.order.filter((at) => isResolved(sections.errors[at] ?? ""));
  errors.order = errors.order.filter((at) => !waiting.includes(at));
  for (const queue of [...queues, { ...errors, order: waiting }]) {
    queue.room = spare;
    takeFrom(queue, taken, costOf, count);
    spare = queue.room;
  }
  return taken;
}

/** Takes items while they fit. One that does not is passed over, for a shorter and older one may. */
function takeFrom(queue: Queue, taken: Taken, costOf: (name: CutSection, at: number) => number, count: Count): void {
  const left: number[] = [];
  for (const at of queue.order) {
    const cost = costOf(queue.name, at) + (queue.started ? 0 : count(`${headingLine(queue.name)}\n`));
    if (cost > queue.room) {
      left.push(at);
      continue;
    }
    queue.room -= cost;
    queue.started = true;
    taken.take(queue.name, at);
  }
  queue.order = left;
}
