import type { EventData, EventType, PublishedEvent } from "../../src/model/events.ts";

/** A committed event with the usual place and labels; `over` changes what a test is about. */
export function published<T extends EventType>(
  type: T,
  data: EventData[T],
  over: Partial<Omit<PublishedEvent, "type" | "data">> = {},
): PublishedEvent {
  return {
    type,
    data,
    sequence: 1,
    tenant: "default",
    session: "s1",
    at: Date.UTC(2025, 10, 21, 14, 2, 11),
    labels: { agent: "code-fix", profile: "default-128k", model: "gpt-4o" },
    ...over,
  } as PublishedEvent;
}

export function pressure(over: Partial<EventData["pressure.measured"]> = {}): EventData["pressure.measured"] {
  return {
    tokens: 64_000,
    max_tokens: 128_000,
    utilization: 0.5,
    zone: "yellow",
    velocity_tokens_per_turn: 4_000,
    turns_until_red: 12,
    turns_until_red_p90: 9,
    source: "estimated",
    window_guessed: false,
    growth_tokens: 4_000,
    turn: 7,
    moment: "turn",
    ...over,
  };
}

export const GATE: EventData["history.compacted"]["gate"] = {
  read_price: 0.1,
  write_price: 1.25,
  tokens_freed: 40_000,
  tokens_rewritten: 30_000,
  expected_remaining_turns: 20,
  saving: 80_000,
  cost: 34_500,
  decided: false,
};
