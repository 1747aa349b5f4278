import { COMPONENTS } from "../../model/block.ts";
import type { Severity } from "../../model/events.ts";
import { STATUSES, ZONES } from "../../model/zone.ts";
import type { LabelBounds } from "./label-bounds.ts";
import type { SessionView } from "./session-view.ts";

/** The open sessions of one profile, summed up. */
interface ProfileFigures {
  /** Sessions by zone and status: index `zone * STATUSES.length + status`, in the order of ZONES and STATUSES. */
  readonly counts: number[];
  /** Tokens by component, in the order of COMPONENTS. */
  readonly tokens: Float64Array;
  /** Worst share of its budget that any session has used, likewise. */
  readonly worst: Float64Array;
  /** Worst irreducible floor as a share of the window. */
  worstFloor: number;
}

/** Open sessions for which an alert fires with a severity. */
interface FiringAlert {
  readonly alert: string;
  readonly severity: Severity;
  sessions: number;
}

export interface Fleet {
  readonly byProfile: ReadonlyMap<string, ProfileFigures>;
  /** By severity and name. */
  readonly alerts: ReadonlyMap<string, FiringAlert>;
  /** The fullest sessions, fullest first. */
  readonly top: readonly SessionView[];
  /** Open sessions that `top` leaves out. */
  readonly beyondTop: number;
}

function emptyFigures(): ProfileFigures {
  return {
    counts: new Array<number>(ZONES.length * STATUSES.length).fill(0),
    tokens: new Float64Array(COMPONENTS.length),
    worst: new Float64Array(COMPONENTS.length),
    worstFloor: 0,
  };
}

/**
 * One pass over the open sessions. It is all that a scrape pays for a session, so it makes no object and no string
 * per session: 10,000 sessions must not make /metrics noticeably dearer than ten.
 */
export function summarise(sessions: Iterable<SessionView>, topK: number, bounds: LabelBounds): Fleet {
  const byProfile = new Map<string, ProfileFigures>();
  const alerts = new Map<string, FiringAlert>();
  const top: SessionView[] = [];
  /** By the profile's own name, which may read "other" in the label. */
  const known = new Map<string, ProfileFigures>();
  let total = 0;
  for (const session of sessions) {
    total++;
    let figures = known.get(session.profile);
    if (figures === undefined) {
      figures = figuresOf(byProfile, bounds.hold("profile", session.profile));
      known.set(session.profile, figures);
    }
    const cell = ZONES.indexOf(session.zone) * STATUSES.length + STATUSES.indexOf(session.status);
    figures.counts[cell] = (figures.counts[cell] ?? 0) + 1;
    addComponents(figures, session);
    for (const firing of session.alerts) addAlert(alerts, firing);
    const floor = session.maxTokens > 0 ? session.floorTokens / session.maxTokens : 0;
    if (floor > figures.worstFloor) figures.worstFloor = floor;
    if (topK > 0) insertFullest(top, session, topK);
  }
  return { byProfile, alerts, top, beyondTop: total - top.length };
}

/**
 * Written out in the order of COMPONENTS: keys looked up by a variable cost twenty times as much here, and made up
 * nearly all of a scrape's time at 10,000 sessions.
 */
function addComponents({ tokens, worst }: ProfileFigures, session: SessionView): void {
  const { componentTokens: held, componentLimits: limits } = session;
  add(tokens, worst, 0, held.system_prompt, limits.system_prompt);
  add(tokens, worst, 1, held.tool_definitions, limits.tool_definitions);
  add(tokens, worst, 2, held.message_history, limits.message_history);
  add(tokens, worst, 3, held.tool_results, limits.tool_results);
  add(tokens, worst, 4, held.memory_injection, limits.memory_injection);
  add(tokens, worst, 5, held.output_reserved, limits.output_reserved);
}

function add(tokens: Float64Array, worst: Float64Array, at: number, held: number, limit: number): void {
  tokens[at] = (tokens[at] as number) + held;
  if (limit > 0 && held > limit * (worst[at] as number)) worst[at] = held / limit;
}

/** Few sessions have any. */
function addAlert(alerts: Map<string, FiringAlert>, { alert, severity }: SessionView["alerts"][number]): void {
  const key = `${severity} ${alert}`;
  const known = alerts.get(key);
  if (known) known.sessions++;
  else alerts.set(key, { alert, severity, sessions: 1 });
}

function figuresOf(byProfile: Map<string, ProfileFigures>, profile: string): ProfileFigures {
  let figures = byProfile.get(profile);
  if (figures === undefined) {
    figures = emptyFigures();
    byProfile.set(profile, figures);
  }
  return figures;
}

/** Insertion into a short sorted list: nearly all sessions fail the first comparison. */
function insertFullest(top: SessionView[], session: SessionView, topK: number): void {
  const last = top[top.length - 1];
  if (top.length === topK && last !== undefined && session.utilization <= last.utilization) return;
  let at = top.length;
  while (at > 0 && (top[at - 1] as SessionView).utilization < session.utilization) at--;
  top.splice(at, 0, session);
  if (top.length > topK) top.pop();
}
