/** Why a window was closed: nothing could be freed in it any more, the provider refused it, somebody asked for it. */
export const CLOSE_REASONS = ["threshold", "overflow", "requested", "checkpoint"] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

export interface Orientation {
  /** Number of the window that the agent is in, from 1. */
  readonly windowNumber: number;
  /** Why the window before it was closed; null: there was none. */
  readonly closed: CloseReason | null;
  /** Whether the session was left and is taken up again. */
  readonly isResumed: boolean;
  /** Whether the agent has a tool that brings content back by its handle. */
  readonly canRecall: boolean;
}

const CLOSED: Readonly<Record<CloseReason, string>> = {
  threshold: "was full",
  overflow: "was too long for the provider",
  requested: "was closed on request",
  checkpoint: "gave way to a checkpoint",
};

/** Where the agent is, and how it gets back what it no longer sees. */
export function orientation({ windowNumber, closed, isResumed, canRecall }: Orientation): string {
  const before = closed === null ? "" : `: window ${windowNumber - 1} ${CLOSED[closed]}`;
  const resumed = isResumed ? " The session was left and is taken up again." : "";
  const gone = closed === null ? "Earlier messages may be gone" : "Most earlier messages are gone";
  const recall = canRecall ? "call your recall tool with a handle (h-…), or " : "";
  return [
    `This is window ${windowNumber} of the session${before}.${resumed} All below is quoted by contextd from the session.`,
    `${gone}, the work is not: go on, do not begin anew. For exact texts, ${recall}read files and run commands again.`,
  ].join("\n");
}
