import type { CompressionDemand, CompressionEdit, CompressionMethod, CompressionView } from "./method.ts";

export interface CascadeStep<Edit extends CompressionEdit = CompressionEdit> {
  /** Pressure from which the step is tried, a share of the window: a key of `compression.cascade`. */
  readonly threshold: number;
  readonly method: CompressionMethod<Edit>;
}

export interface CascadeDemand extends CompressionDemand {
  /**
   * What the thresholds are compared with: the utilization; the orange threshold where a forecast acts as orange;
   * 1 in an emergency, where every step is tried.
   */
  readonly level: number;
}

/** What one step did. `below_threshold` and `not_needed`: it was not tried. */
interface StepReport {
  readonly method: string;
  readonly threshold: number;
  readonly outcome: "applied" | "not_applicable" | "below_threshold" | "not_needed";
  /** The method's own word for `not_applicable`; else null. */
  readonly reason: string | null;
  readonly edits: number;
  /** Edits thrown away, because they saved nothing or cut into an edit planned before. */
  readonly discarded: number;
  readonly tokensFreed: number;
}

export interface CascadePlan<Edit extends CompressionEdit = CompressionEdit> {
  readonly edits: readonly Edit[];
  readonly tokensFreed: number;
  /** The demand was met. */
  readonly met: boolean;
  readonly steps: readonly StepReport[];
}

/**
 * Runs the steps in the order of their thresholds (equal ones in the order given) until the demand is met. Each
 * step is asked for what is left of it, and sees what the steps before have planned.
 *
 * An edit of blocks that are planned already replaces those plans, where it covers them whole and frees more than
 * they do: a result that a first step shortened may be dropped with its unit by a second. Any other such edit, and
 * one whose text is not shorter, is thrown away.
 */
export function runCascade<Edit extends CompressionEdit>(
  steps: readonly CascadeStep<Edit>[],
  view: Omit<CompressionView<Edit>, "planned">,
  demand: CascadeDemand,
): CascadePlan<Edit> {
  const plan = new EditPlan<Edit>();
  const reports: StepReport[] = [];
  for (const { threshold, method } of [...steps].sort((a, b) => a.threshold - b.threshold)) {
    const report = { method: method.name, threshold, reason: null, edits: 0, discarded: 0, tokensFreed: 0 };
    const tokensToFree = demand.tokensToFree - plan.tokensFreed;
    if (tokensToFree <= 0 || threshold > demand.level) {
      reports.push({ ...report, outcome: tokensToFree <= 0 ? "not_needed" : "below_threshold" });
      continue;
    }
    const outcome = method.apply({ ...view, planned: plan.byBlock }, { tokensToFree });
    if (outcome.kind === "not_applicable") {
      reports.push({ ...report, outcome: outcome.kind, reason: outcome.reason });
      continue;
    }
    const freedBefore = plan.tokensFreed;
    const taken = outcome.edits.filter((edit) => plan.take(edit)).length;
    reports.push({
      ...report,
      outcome: "applied",
      edits: taken,
      discarded: outcome.edits.length - taken,
      tokensFreed: plan.tokensFreed - freedBefore,
    });
  }
  return {
    edits: plan.edits,
    tokensFreed: plan.tokensFreed,
    met: plan.tokensFreed >= demand.tokensToFree,
    steps: reports,
  };
}

/** The edits planned so far: no two of them touch the same block. */
class EditPlan<Edit extends CompressionEdit> {
  readonly byBlock = new Map<string, Edit>();
  readonly #edits = new Set<Edit>();
  tokensFreed = 0;

  get edits(): Edit[] {
    return [...this.#edits];
  }

  /** Answers false when the edit is thrown away. */
  take(edit: Edit): boolean {
    const replaced = new Set(edit.blockIds.flatMap((id) => this.byBlock.get(id) ?? []));
    const own = new Set(edit.blockIds);
    for (const planned of replaced) if (planned.blockIds.some((id) => !own.has(id))) return false;
    const gain = freedBy(edit) - [...replaced].reduce((sum, planned) => sum + freedBy(planned), 0);
    if (gain <= 0) return false;
    for (const planned of replaced) this.#edits.delete(planned);
    this.#edits.add(edit);
    for (const id of edit.blockIds) this.byBlock.set(id, edit);
    this.tokensFreed += gain;
    return true;
  }
}

function freedBy(edit: CompressionEdit): number {
  return edit.tokensBefore - edit.tokensAfter;
}
