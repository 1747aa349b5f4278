import { messageFormats } from "../../messages/index.ts";
import type { PreparedRun } from "../prepared-run.ts";

/** Messages that stand or fall together. */
export interface PlainUnit {
  /** Places of its messages in the conversation, rising. */
  readonly places: readonly number[];
}

/** An assistant message with its results, or one message of the user; pinned messages are in none. In order. */
export function unitsOf({ conversation, format }: PreparedRun): PlainUnit[] {
  const units: { places: number[] }[] = [];
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
    else units.push({ places: [place] });
  }
  return units;
}
