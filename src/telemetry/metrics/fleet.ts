import { COMPONENTS, type Component } from "../../model/block.ts";
import { STATUSES, ZONES } from "../../model/zone.ts";
import type { LabelBounds } from "./label-bounds.ts";
import type { SessionView } from "./session-view.ts";

/** The open sessions of one profile, summed up. */
interface ProfileFigures {
  /** Sessions by zone and status: index `zone * STATUSES.length + status`, in the order of ZONES and STATUSES. */
  readonly counts: number[];
  readonly tokens: Record<Component, number>;
  /** Worst share of its budget that any session has used, by component. */
  readonly worst: Record<Component, number>;
  /** Worst irreducible floor as a share of the window. */
  worstFloor: number;
}

export interface Fleet {
  readonly byProfile: ReadonlyMap<string, ProfileFigures>;
  /** The fullest sessions, fullest first. */
  readonly top: readonly SessionView[];
  /** Open sessions that `top` leaves out. */
  readonly beyondTop: number;
}

function emptyFigures(): ProfileFigures {
  const zeros = () => Object.fromEntries(COMPONENTS.map((name) => [name, 0])) as Record<Component, number>;
  return {
    counts: new Array<number>(ZONES.length * STATUSES.length).fill(0),
    tokens: zeros(),
    worst: zeros(),
    worstFloor: 0,
  };
}

/**
 * One pass over the open sessions. It is all that a scrape pays for a session, so it makes no object and no string
 * per session: 10,000 sessions must not make /metrics noticeably dearer than ten.
 */
export function summarise(sessions: Iterable<SessionView>, topK: number, bounds: LabelBounds): Fleet {
  const byProfile = new Map<string, ProfileFigures>();
  const top: SessionView[] = [];
  let total = 0;
  let lastProfile: string | null = null;
  let figures = emptyFigures();
  for (const session of sessions) {
    total++;
    if (session.profile !== lastProfile) {
      lastProfile = session.profile;
      figures = figuresOf(byProfile, bounds.hold("profile", session.profile));
    }
    const cell = ZONES.indexOf(session.zone) * STATUSES.length + STATUSES.indexOf(session.status);
    figures.counts[cell] = (figures.counts[cell] ?? 0) + 1;
    for (const component of COMPONENTS) {
      const tokens = session.componentTokens[component];
      const limit = session.componentLimits[component];
      figures.tokens[component] += tokens;
      if (limit > 0 && tokens / limit > figures.worst[component]) figures.worst[component] = tokens / limit;
    }
    const floor = session.maxTokens > 0 ? session.floorTokens / session.maxTokens : 0;
    if (floor > figures.worstFloor) figures.worstFloor = floor;
    if (topK > 0) insertFullest(top, session, topK);
  }
  return { byProfile, top, beyondTop: total - top.length };
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
