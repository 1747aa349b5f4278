/** OpenMetrics: names and values of an exemplar's labels together. */
const LONGEST_LABEL_SET = 128;

/**
 * Labels of an exemplar that leads from a bucket to a session and a trace. A label that does not fit is left out, the
 * trace first; empty when nothing fits, which records no exemplar.
 */
export function exemplarLabels(sessionId: string | null | undefined, traceId?: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let room = LONGEST_LABEL_SET;
  const add = (name: string, value: string | null | undefined): void => {
    if (value === null || value === undefined || value === "") return;
    const size = name.length + value.length;
    if (size > room) return;
    labels[name] = value;
    room -= size;
  };
  add("session_id", sessionId);
  add("trace_id", traceId);
  return labels;
}

/** The trace id of a W3C `traceparent` header, or undefined. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent === undefined ? undefined : /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent)?.[1];
}
