import { messageFormats } from "../../messages/index.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ReplayRequest } from "../contender.ts";
import type { PreparedRun } from "../prepared-run.ts";

interface Unit {
  readonly from: number;
  readonly places: number[];
}

/**
 * Drops whole units, oldest first, when a context would exceed the window, down to `low` of it. Never the pinned
 * messages, nor the unit of the previous assistant message and what follows it.
 */
export function* dropOldestUnits(run: PreparedRun, window: number, low: number): Generator<ReplayRequest> {
  const { messages, ...beside } = run.conversation;
  const tokens = messages.map((message) => run.readings.ofMessage(message).tokens);
  const units = unitsOf(run);
  const gone = new Set<number>();
  let total = run.readings.of({ ...beside, messages: [] })[0]?.tokens ?? 0;
  let previous = 0;
  for (const [place, message] of messages.entries()) {
    if (message["role"] === "assistant") {
      let edits = 0;
      while (total > (edits === 0 ? window : low * window) && units[0] !== undefined && units[0].from < previous) {
        for (const dropped of (units.shift() as Unit).places) {
          total -= tokens[dropped] as number;
          gone.add(dropped);
        }
        edits++;
      }
      const kept = [...messages.keys()].filter((index) => index < place && !gone.has(index));
      const context = { ...beside, messages: kept.map((index) => messages[index] as JsonObject) };
      yield { context, ids: kept.map(String), edits };
      previous = place;
    }
    total += tokens[place] as number;
  }
}

/** An assistant message with its results, or one message of the user; pinned messages are in none. */
export function unitsOf({ conversation, format }: PreparedRun): Unit[] {
  const units: Unit[] = [];
  let taskSeen = false;
  for (const [place, message] of conversation.messages.entries()) {
    const { role, parts } = messageFormats[format].split(message, `messages[${place}]`);
    const answers = role === "tool" || parts.some((part) => part.kind === "tool_result");
    if (role === "system" || (role === "user" && !answers && !taskSeen)) {
      taskSeen ||= role === "user";
      continue;
    }
    const open = units.at(-1);
    if (answers && open) open.places.push(place);
    else units.push({ from: place, places: [place] });
  }
  return units;
}
