import type { CoreEvent } from "../../model/events.ts";
import type { Zone } from "../../model/zone.ts";
import { snapshotOutline } from "../snapshot.ts";

/** Where a session is in its course: a fold over its events that holds a few figures. */
export interface Course {
  readonly turn: number;
  readonly turnOpen: boolean;
  readonly windowNumber: number;
  readonly maxTokens: number;
  /** Of the last measurement; null before the first. */
  readonly zone: Zone | null;
  readonly turnsUntilRed: number | null;
  /** Tokens of the last prompt as the provider counted them; null where it did not say. */
  readonly promptTokens: number | null;
}

export function initialCourse(): Course {
  const nothing = { zone: null, turnsUntilRed: null, promptTokens: null };
  return { turn: 0, turnOpen: false, windowNumber: 0, maxTokens: 0, ...nothing };
}

/** The course as a snapshot has it; the last prompt is not known there. */
export function courseOfSnapshot(body: string): Course {
  const { turn, turnOpen, windowNumber, maxTokens, reading } = snapshotOutline(body).plain;
  const { zone = null, turns_until_red: turnsUntilRed = null } = reading ?? {};
  return { turn, turnOpen, windowNumber, maxTokens, zone, turnsUntilRed, promptTokens: null };
}

export function nextCourse(course: Course, event: CoreEvent): Course {
  switch (event.type) {
    case "session.opened":
      return { ...course, maxTokens: event.data.max_context_tokens };
    case "window.opened":
      return { ...course, windowNumber: event.data.number, maxTokens: event.data.max_tokens };
    case "window.resized":
      return { ...course, maxTokens: event.data.max_tokens };
    case "turn.started":
      return { ...course, turn: event.data.turn, turnOpen: true };
    case "turn.ended":
      return { ...course, turnOpen: false, promptTokens: event.data.prompt_tokens };
    case "pressure.measured":
      return { ...course, zone: event.data.zone, turnsUntilRed: event.data.turns_until_red };
    default:
      return course;
  }
}
