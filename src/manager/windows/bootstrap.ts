import { maskSecrets, renderSummary } from "../../compression/index.ts";
import type { WindowCause } from "../../model/events.ts";
import {
  type BootstrapInput,
  type BootstrapText,
  bootstrapText,
  type CloseReason,
} from "../../window/bootstrap/index.ts";
import type { Hook, Services } from "../hook.ts";
import { isShown } from "../passes/constraints.ts";
import { standingSections } from "../passes/history-summary.ts";
import { markOf } from "../passes/own-message.ts";
import type { StandingForm } from "../passes/standing.ts";
import type { Session } from "../session.ts";

const CLOSED: Readonly<Record<WindowCause, CloseReason | null>> = {
  session: null,
  cross_window_save: "threshold",
  overflow: "overflow",
  requested: "requested",
  checkpoint: "checkpoint",
};

/** What of the bootstrap depends on where it stands. */
type Placed = Pick<
  BootstrapInput,
  "windowNumber" | "closed" | "isResumed" | "goal" | "constraints" | "successCriteria" | "summary"
>;

/** What a new window begins with, in the standing message's place: what nothing else in the context shows. */
export function bootstrapForm(cause: WindowCause, windowNumber: number): StandingForm {
  return {
    form: "bootstrap",
    compose({ session, services }: Hook, missing) {
      const { goal, success_criteria } = session.taskState;
      const criteria = new Set(success_criteria);
      const { text, shownNotes, leftOut } = written(session, services, {
        windowNumber,
        closed: CLOSED[cause],
        isResumed: false,
        goal: goal === null || goal.trim() === "" || isShown(session, goal) ? null : goal,
        constraints: missing.filter((rule) => !criteria.has(rule)),
        successCriteria: missing.filter((rule) => criteria.has(rule)),
        summary: null,
      });
      return { text, notes: shownNotes, leftOut: Object.values(leftOut).reduce((sum, count) => sum + count, 0) };
    },
  };
}

/** What an agent that takes the session up again reads: all of it, whatever the context shows. */
export function bootstrapPrompt(session: Session, services: Services): string {
  const { goal, success_criteria, constraints } = session.taskState;
  const sections = standingSections(session);
  return written(session, services, {
    windowNumber: session.windowNumber,
    closed: CLOSED[session.windowOpened.cause],
    isResumed: true,
    goal: goal === null || goal.trim() === "" ? null : goal,
    constraints: [...new Set([...constraints, ...session.rules.map(({ text }) => text)])],
    successCriteria: success_criteria,
    summary: sections && renderSummary(sections),
  }).text;
}

function written(session: Session, services: Services, placed: Placed): BootstrapText {
  return bootstrapText({
    ...placed,
    canRecall: session.canRecall,
    task: session.taskState,
    notes: session.notes.notes,
    limitTokens: Math.floor(
      (services.settings.cross_window.bootstrap_share * session.maxTokens) / services.calibration,
    ),
    count: (text) => services.countText(text),
    mark: (body) => markOf(session, body),
    mask: maskSecrets,
  });
}
