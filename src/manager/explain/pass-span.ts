import type { CoreEvent, EventData } from "../../model/events.ts";

/** Where a pass stands among the events of its call: from its first edit, or what it wrote first, to its end. */
export interface PassSpan {
  readonly from: number;
  readonly end: number;
  readonly compacted: EventData["history.compacted"];
}

/** The pass of that id among a call's events; null when it is not one of theirs. */
export function passSpan(events: readonly CoreEvent[], passId: string): PassSpan | null {
  for (const [end, event] of events.entries()) {
    if (event.type !== "history.compacted" || event.data.pass_id !== passId) continue;
    return { from: beginningOf(events, end, passId), end, compacted: event.data };
  }
  return null;
}

/**
 * All that a pass does names it, and comes before its end. A message of contextd's own comes before the event that says
 * what it is: it belongs to the pass that wrote it.
 */
function beginningOf(events: readonly CoreEvent[], end: number, passId: string): number {
  let from = end;
  for (let at = end - 1; at >= 0; at--) {
    const event = events[at] as CoreEvent;
    if (event.type === "block.added") continue;
    const isOwn = event.type === "message.added" && event.data.source === "contextd";
    if (!isOwn && passOf(event) !== passId) break;
    from = at;
  }
  return from;
}

/** The pass that an event names; null where it names none. */
export function passOf({ data }: CoreEvent): string | null {
  return "pass_id" in data ? data.pass_id : null;
}
