import type { Session } from "../../src/manager/session.ts";

/** Everything of a session that a later call can see, as plain data. */
export function seenOf(session: Session) {
  // When a snapshot was taken is no part of the state.
  const { analysedThrough: _read, snapshotPosition: _taken, ...plain } = session;
  return structuredClone({
    ...plain,
    messages: session.messages.map(({ blocks, ...message }) => ({ ...message, blocks: blocks.map(({ id }) => id) })),
    messageById: [...session.messageById.keys()].sort(),
    tools: session.tools.map(({ id }) => id),
    units: [...session.units.values()].map(({ blocks, ...unit }) => ({ ...unit, blocks: blocks.map(({ id }) => id) })),
    unitOfCall: null,
    // A call id that was used again stands for its newest call alone: the older one's entry serves nobody.
    pendingCalls: [...session.units.values()].flatMap((unit) =>
      [...unit.pendingCalls].map((id) => session.unitOfCall.get(id)),
    ),
  });
}
