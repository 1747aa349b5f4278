import { shortType } from "./event-words.js";

/** Totals that a session keeps for its line in the table. */
const RECENT = 28;

/**
 * The sessions as the page knows them: read by `session.list`, then moved by events. An event of a session that the
 * list did not have is not guessed at: `unknown` is raised, and the list is read again. Of a fleet that is too large
 * for the page such sessions are expected.
 */
export class Fleet {
  sessions = new Map();
  alerts = new Map();
  /** A session appeared that only `session.list` can describe. */
  unknown = false;
  /** Whether the list has all open sessions. */
  isWhole = true;
  /** Whether there are closed sessions to be read. */
  hasClosed = false;

  /** Takes a list as read at the given sequence. */
  seed(sessions, alerts, { isWhole = true, hasClosed = false } = {}) {
    this.isWhole = isWhole;
    this.hasClosed = hasClosed;
    this.sessions = new Map(sessions.map((session) => [session.session_id, { ...session }]));
    this.alerts = new Map(alerts.map((alert) => [alertKey(alert.session_id ?? null, alert.alert), alert]));
    this.unknown = false;
  }

  /** Returns whether anything that is shown has changed. */
  apply(event) {
    const type = shortType(event.type);
    const { data, subject } = event;
    if (type === "alert.raised") return this.#raise(event);
    if (type === "alert.resolved") return this.alerts.delete(alertKey(subject ?? null, data.alert));
    if (subject === undefined) return false;
    if (type === "session.closed") {
      this.hasClosed = true;
      return this.sessions.delete(subject);
    }
    const session = this.sessions.get(subject);
    if (session === undefined) {
      this.unknown = this.isWhole;
      return false;
    }
    session.last_seen = Math.max(session.last_seen, Date.parse(event.time));
    MOVES[type]?.(session, data);
    return true;
  }

  #raise(event) {
    const { alert, severity, summary, turn } = event.data;
    const session = event.subject ?? null;
    const raised = { alert, severity, summary, turn, session_id: session, raised_at: Date.parse(event.time) };
    this.alerts.set(alertKey(raised.session_id, alert), raised);
    return true;
  }
}

function alertKey(session, alert) {
  return `${session ?? ""} ${alert}`;
}

const MOVES = {
  "pressure.measured"(session, data) {
    session.tokens = data.tokens;
    session.max_tokens = data.max_tokens;
    session.utilization = data.utilization;
    session.zone = data.zone;
    session.velocity_tokens_per_turn = data.velocity_tokens_per_turn;
    session.turns_until_red = data.turns_until_red;
    session.turns_until_red_p90 = data.turns_until_red_p90;
    if (data.moment !== "turn" || data.turn <= (session.recent_turn ?? 0)) return;
    session.recent_turn = data.turn;
    session.recent_tokens = [...session.recent_tokens, data.tokens].slice(-RECENT);
  },
  "zone.changed"(session, data) {
    session.zone = data.to;
  },
  "status.changed"(session, data) {
    session.status = data.to;
  },
  "turn.started"(session, data) {
    session.turn = data.turn;
  },
  "window.opened"(session, data) {
    session.window_id = data.window_id;
    session.window_number = data.number;
  },
  "history.compacted"(session, data) {
    const tokensFreed = data.tokens_before - data.tokens_after;
    session.last_edit = { turn: session.turn, tokens_freed: tokensFreed, strategy: data.strategy };
  },
};

/** Turns within which a session counts as about to be red. */
const SOON_TURNS = 2;

/** What the first line of the page is about. */
export function situation(sessions) {
  const found = { total: 0, red: 0, soon: 0, orange: 0, agents: 0 };
  const agents = new Set();
  for (const session of sessions) {
    found.total++;
    agents.add(session.agent);
    if (session.zone === "red") found.red++;
    else if (session.turns_until_red !== null && session.turns_until_red <= SOON_TURNS) found.soon++;
    if (session.zone === "orange") found.orange++;
  }
  found.agents = agents.size;
  return found;
}
