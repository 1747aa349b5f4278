import { initialBurn } from "../../budget/index.ts";
import { initialTask } from "../../notes/index.ts";
import { initialPressure } from "../../pressure/index.ts";
import { expectEnvironment } from "../session.ts";
import type { Folds } from "./fold.ts";

/** A session, its windows and its turns: what the events of their course change. */
export const lifecycleFolds = {
  "session.opened": (session, data) => {
    session.agent = data.agent;
    session.profile = data.profile;
    session.model = data.model;
    session.format = data.message_format;
    session.maxTokens = data.max_context_tokens;
    session.windowGuessed = data.window_guessed;
    session.windowSource = data.window_source ?? { from: data.window_guessed ? "guessed" : "session", at: null };
    session.task = data.task;
    session.taskState = initialTask(data.task);
    session.ownSettings = data.settings;
    session.canRecall = data.can_recall;
    session.parent = data.parent ?? null;
    session.pressure = initialPressure();
    session.burn = initialBurn();
  },
  "session.configured": (session, data) => {
    session.ownSettings = data.settings;
    session.unfreeable = null;
  },
  "session.closed": (session) => {
    session.closed = true;
  },
  "session.resumed": (session, data) => {
    expectEnvironment(session, data.checkpoint_id);
  },
  "window.opened": (session, data) => {
    session.windowId = data.window_id;
    session.windowNumber = data.number;
    session.windowOpened = { turn: session.turn, cause: data.cause };
    session.maxTokens = data.max_tokens;
    if (data.number === 1) return;
    // What an agent reported of the old window says nothing of this one.
    if (session.anchor?.source === "model_reported") session.anchor = null;
    expectEnvironment(session, data.checkpoint_id);
    session.floorReported = false;
    session.unfreeable = null;
  },
  "window.resized": (session, data) => {
    session.maxTokens = data.max_tokens;
    session.windowGuessed = false;
    // When it was learned is told by the end of the batch, which knows the time.
    session.windowSource = { from: data.learned_from === "configured" ? "session" : data.learned_from, at: null };
    session.unfreeable = null;
  },
  "turn.started": (session, data) => {
    session.turn = data.turn;
    session.turnOpen = true;
    session.overflowAttempts = 0;
  },
  "turn.ended": (session) => {
    session.turnOpen = false;
  },
  "status.changed": (session, data) => {
    session.status = data.to;
  },
  "floor.detected": (session) => {
    session.floorReported = true;
  },
  "overflow.reported": (session, data) => {
    if (data.attempt > 0) session.overflowAttempts = data.attempt;
  },
  "alert.raised": (session, { alert, severity, summary, turn }) => {
    session.alerts = { ...session.alerts, [alert]: { severity, summary, since_turn: turn } };
  },
  "alert.resolved": (session, { alert }) => {
    const { [alert]: _, ...left } = session.alerts;
    session.alerts = left;
  },
} satisfies Folds;
