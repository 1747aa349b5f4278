/** Kinds of facts that a fold of the context is held to. */
export const PROBE_TYPES = ["goal", "constraint", "decision", "file", "error", "number", "next_step"] as const;

export type ProbeType = (typeof PROBE_TYPES)[number];

/** What of a probe is needed to look for its facts again after later folds. Plain JSON. */
export interface KeptProbe {
  readonly type: ProbeType;
  /** Short texts of the original. The first is the one that the others belong to. */
  readonly facts: readonly string[];
  /**
   * Characters around the first fact, on either side, within which the others are looked for; null: anywhere, and each
   * of them must be there.
   */
  readonly within: number | null;
  /** Share of the facts that must stand together, above 0, up to 1. The first must be among them. */
  readonly share: number;
}

/** One thing that who goes on with the work must still be able to tell, taken from the original. */
export interface Probe extends KeptProbe {
  readonly question: string;
  /** The block that says it; null for what the task itself says. */
  readonly blockId: string | null;
  /** Turn in which it was said. */
  readonly turn: number;
}
