/** The daemon answered a call with an error, or did not answer (code null). */
export class CallError extends Error {
  constructor(message, { code = null, reason = "no_answer", retryable = true } = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.retryable = retryable;
  }
}

const DEADLINE_MS = 10_000;
let nextId = 1;

/** One JSON-RPC call. The address is relative, so that a path prefix before the page is one before the call. */
export async function call(method, params, token) {
  let response;
  let answer;
  try {
    response = await fetch(new URL("rpc", document.baseURI), {
      method: "POST",
      headers: { "content-type": "application/json", ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: nextId++, method, params }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    answer = await response.json();
  } catch (cause) {
    const status = response === undefined ? "" : ` (HTTP ${response.status})`;
    throw new CallError(`The daemon did not answer${status}.`, { cause });
  }
  if (answer.error !== undefined) {
    const { code, message, data } = answer.error;
    throw new CallError(message, { code, reason: data?.reason, retryable: data?.retryable === true });
  }
  return answer.result;
}

const FIELDS = [
  "agent",
  "profile",
  "model",
  "turn",
  "window_id",
  "window_number",
  "zone",
  "status",
  "tokens",
  "max_tokens",
  "utilization",
  "velocity_tokens_per_turn",
  "turns_until_red",
  "turns_until_red_p90",
  "thresholds",
  "recent_tokens",
  "last_edit",
  "last_seen",
];
const PAGE = 1_000;
/** More rows than anybody reads: of a fleet beyond it the page has the most urgent part. */
const MOST = 10_000;

/**
 * The open sessions, whether these are all of them and any closed one is kept, and the daemon's figures from just before: events behind their
 * sequence are still to be applied. Pages follow each other by id, which no hook that comes in between changes.
 */
export async function readFleet(token) {
  const report = await call("status.report", {}, token);
  const sort = report.sessions.open > MOST ? "turns_until_red" : "session_id";
  const sessions = [];
  let cursor = null;
  do {
    const params = { limit: PAGE, sort, fields: FIELDS, ...(cursor === null ? {} : { cursor }) };
    const page = await call("session.list", params, token);
    sessions.push(...page.sessions);
    cursor = page.next_cursor;
  } while (cursor !== null && sessions.length < MOST);
  const closed = await call("session.list", { state: "closed", limit: 1, sort: "last_seen", fields: [] }, token);
  return { report, sessions, isWhole: cursor === null, hasClosed: closed.sessions.length > 0 };
}
