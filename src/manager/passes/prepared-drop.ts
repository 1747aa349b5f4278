import type { CompressionOutcome, CompressionView } from "../../compression/index.ts";
import type { PassEdit } from "./edit.ts";

/**
 * The units that a summary was made of, as the first step of the pass that puts it in their place: all of them or
 * none, since the summary tells of all.
 */
export class PreparedDrop {
  readonly name = "prepared_summary";
  readonly #blockIds: ReadonlySet<string>;

  constructor(blockIds: readonly string[]) {
    this.#blockIds = new Set(blockIds);
  }

  apply(view: CompressionView<PassEdit>): CompressionOutcome<PassEdit> {
    const units = view.units.filter(({ blocks }) => blocks.some((block) => this.#blockIds.has(block.id)));
    const blocks = units.flatMap((unit) => unit.blocks);
    const all = blocks.length === this.#blockIds.size && blocks.every((block) => this.#blockIds.has(block.id));
    if (!all || blocks.some((block) => view.isProtected(block)))
      return { kind: "not_applicable", reason: "inputs_changed" };
    const edits = units.map((unit) => ({
      method: "drop" as const,
      blockIds: unit.blocks.map((block) => block.id),
      tokensBefore: unit.tokens,
      tokensAfter: 0,
      replacementText: null,
      rule: "summary.prepared",
    }));
    return { kind: "applied", edits };
  }
}
