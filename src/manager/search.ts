import { z } from "zod";
import { textOf } from "../model/part.ts";
import type { Journal } from "../store/journal.ts";
import { decodePart } from "./part-codec.ts";
import type { Session } from "./session.ts";

/** Contents read from the store at once, and at most, by one search. */
const FETCH = 200;
const MOST_READ = 5_000;
/** Characters shown on each side of a match. */
const AROUND = 80;

export const matchResult = z.object({
  block_id: z.string(),
  handle: z.string(),
  type: z.string(),
  tool_name: z.string().nullable(),
  state: z.enum(["held", "changed", "evicted"]).describe("held: stands in the context as it came."),
  excerpt: z.string(),
  intervals: z
    .array(z.object({ from_turn: z.number(), to_turn: z.number().nullable() }))
    .describe("Turns in which the block was in the context; an open end means it still is."),
});
export type Match = z.infer<typeof matchResult>;

/** Blocks, live or gone, whose original text holds the phrase (case-insensitive); the newest first. */
export async function searchContents(
  journal: Pick<Journal, "contents">,
  session: Session,
  query: string,
  limit: number,
): Promise<Match[]> {
  const needle = query.toLowerCase();
  const matches: (Match & { order: number })[] = [];
  const consider = (blockId: string, text: string, found: Omit<Match, "block_id" | "excerpt">) => {
    const at = text.toLowerCase().indexOf(needle);
    if (at < 0) return;
    const excerpt = text.slice(Math.max(0, at - AROUND), at + needle.length + AROUND);
    matches.push({ block_id: blockId, excerpt, ...found, order: Number(blockId.slice(1)) });
  };
  for (const block of session.blocks.values()) {
    if (session.edits.has(block.id)) continue;
    consider(block.id, textOf(block.part), {
      handle: block.handle,
      type: block.type,
      tool_name: block.tool?.name ?? null,
      state: "held",
      intervals: [{ from_turn: block.turn, to_turn: null }],
    });
  }
  const edits = [...session.edits.values()].reverse().slice(0, MOST_READ);
  for (let start = 0; start < edits.length; start += FETCH) {
    const slice = edits.slice(start, start + FETCH);
    const bodies = await journal.contents(slice.map((edit) => edit.hash));
    for (const edit of slice) {
      const body = bodies.get(edit.hash);
      if (body === undefined) continue;
      consider(edit.blockId, textOf(decodePart(body, null)), {
        handle: edit.handle,
        type: edit.type,
        tool_name: edit.toolName,
        state: session.blocks.has(edit.blockId) ? "changed" : "evicted",
        intervals: [{ from_turn: edit.arrived, to_turn: edit.turn }],
      });
    }
  }
  return matches
    .sort((a, b) => b.order - a.order)
    .slice(0, limit)
    .map(({ order: _, ...match }) => match);
}
