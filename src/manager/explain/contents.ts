import { isClearedResult } from "../../messages/index.ts";
import { type Part, textOf } from "../../model/part.ts";
import type { Journal } from "../../store/journal.ts";
import { blockTitle } from "../block-title.ts";
import { decodePart } from "../part-codec.ts";
import type { OutlinedBlock } from "./context-outline.ts";

type Source = Pick<Journal, "contents">;

/** Contents read at once: bounds the memory, which holds a title of each when it is done. */
const FETCH = 50;
/** A placeholder has no more tokens than this: larger results need not be read to know that they are none. */
const MOST_PLACEHOLDER_TOKENS = 600;

/** How people are to be shown some blocks, by block id. */
export interface Faces {
  readonly titles: ReadonlyMap<string, string>;
  /** Results that came in as placeholders of the agent's own. */
  readonly cleared: ReadonlySet<string>;
}

/** Reads what the titles of the blocks are made of: nothing of most calls and results, which are named by their call. */
export async function readFaces(journal: Source, blocks: readonly OutlinedBlock[]): Promise<Faces> {
  const unique = [...new Map(blocks.map((block) => [block.id, block])).values()];
  const titles = new Map<string, string>();
  const cleared = new Set<string>();
  const unread: OutlinedBlock[] = [];
  for (const block of unique) {
    if (block.tool === null || mayBePlaceholder(block)) unread.push(block);
    if (block.tool !== null) titles.set(block.id, blockTitle("", block.tool));
  }
  for (let start = 0; start < unread.length; start += FETCH) {
    const page = unread.slice(start, start + FETCH);
    const bodies = await journal.contents([...new Set(page.map(({ hash }) => hash))]);
    for (const block of page) {
      const part = partOf(bodies, block);
      if (!part) continue;
      if (!titles.has(block.id)) titles.set(block.id, blockTitle(part, block.tool));
      if (isClearedResult(part)) cleared.add(block.id);
    }
  }
  return { titles, cleared };
}

function mayBePlaceholder({ type, originalTokens }: OutlinedBlock): boolean {
  return type === "tool_result" && originalTokens <= MOST_PLACEHOLDER_TOKENS;
}

/** The text that each of the blocks shows (`now`), or held when it came; blocks whose content is gone are left out. */
export async function readTexts(
  journal: Source,
  blocks: readonly OutlinedBlock[],
  which: "now" | "original",
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (let start = 0; start < blocks.length; start += FETCH) {
    const page = blocks
      .slice(start, start + FETCH)
      .map((block) => (which === "now" ? { ...block, hash: block.partHash } : block));
    const bodies = await journal.contents([...new Set(page.map(({ hash }) => hash))]);
    for (const block of page) {
      const part = partOf(bodies, block);
      if (part) texts.set(block.id, textOf(part));
    }
  }
  return texts;
}

function partOf(bodies: ReadonlyMap<string, string>, { hash, tool }: OutlinedBlock): Part | null {
  const body = bodies.get(hash);
  return body === undefined ? null : decodePart(body, tool?.callId ?? null);
}
