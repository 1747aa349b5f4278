export const ZONES = ["green", "yellow", "orange", "red"] as const;

/** How full the window is, in four words. Ordered. */
export type Zone = (typeof ZONES)[number];

/** Lower bounds of yellow, orange and red as shares of the window, 0 < yellow < orange < red < 1. */
export interface ZoneThresholds {
  readonly yellow: number;
  readonly orange: number;
  readonly red: number;
}

export const STATUSES = ["healthy", "preparing", "active_management", "emergency"] as const;
export type Status = (typeof STATUSES)[number];

export const ACTIONS = [
  "none",
  "evaluate",
  "evict",
  "compress",
  "compact",
  "emergency_compaction",
  "cross_window_save",
] as const;
/** What the router decided at a turn's start. */
export type Action = (typeof ACTIONS)[number];

export const READING_SOURCES = ["model_reported", "anchored", "estimated"] as const;

/** A measurement of the pressure on the window. Snake case: it is a wire shape. */
export interface Reading {
  /** Tokens of the context as the provider will count them, best estimate. */
  readonly tokens: number;
  readonly max_tokens: number;
  /** tokens / max_tokens; may exceed 1. */
  readonly utilization: number;
  readonly zone: Zone;
  /** Mean growth of the last turns; null before the second reading. */
  readonly velocity_tokens_per_turn: number | null;
  /** null while the context does not grow. */
  readonly turns_until_red: number | null;
  readonly turns_until_red_p90: number | null;
  readonly source: (typeof READING_SOURCES)[number];
  /** True when the window's size is a guess, not configured, catalogued or reported. */
  readonly window_guessed: boolean;
}
