import { DECISION_TYPES } from "./decision-types.js";

/** Turns beyond this are thinned out by the daemon, which keeps all that stand beside an edit. */
const MOST_POINTS = 6_000;

/**
 * What is read of a session, each by itself, so that one that fails leaves the others: `every` is the least time between
 * two readings in ms, `after` tells of an event's type whether it is to be read again.
 */
export const PARTS = {
  summary: {
    every: 300,
    after: () => true,
    read: (call) => call("session.get"),
  },
  budget: {
    every: 500,
    after: () => true,
    read: (call) => call("budget.report"),
  },
  context: {
    every: 1_000,
    after: () => true,
    read: readContext,
  },
  trend: {
    every: 2_000,
    // A turn is added as its event tells it: only what changes windows, or takes turns back, is read again.
    after: (type) => /^(window|history\.diverged|checkpoint\.restored|session\.configured)/.test(type),
    read: (call) => call("trend.report", { metrics: ["utilization"], max_points: MOST_POINTS }),
  },
  checkpoints: {
    every: 1_000,
    after: (type) => /^(checkpoint|window)\./.test(type),
    read: (call) => call("checkpoint.list"),
  },
  notes: {
    every: 1_000,
    after: (type) => /^(note|window|checkpoint)\./.test(type),
    read: (call) => call("note.list"),
  },
  task: {
    every: 1_000,
    after: (type) => /^(task|window|checkpoint)\./.test(type),
    read: (call) => call("task.get"),
  },
};

/** A daemon that cannot tell scores still tells blocks. */
async function readContext(call) {
  try {
    return await call("context.get", { include: ["blocks", "scores"] });
  } catch (error) {
    if (error.reason !== "invalid_params") throw error;
    return call("context.get", { include: ["blocks"] });
  }
}

/** Journal rows that are read of a long history at once. */
const PAGE = 300;

/** The newest rows or those before a position, and those behind one. */
export const HISTORY = {
  every: 500,
  newest: (call, before) =>
    call("audit.list", { types: DECISION_TYPES, limit: PAGE, ...(before === null ? {} : { before }) }),
  since: (call, from) => call("audit.list", { types: DECISION_TYPES, from, order: "oldest", limit: 1_000 }),
};
