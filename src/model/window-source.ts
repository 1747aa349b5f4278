/** Who told a limit that is learned of a model: the provider, as it refused a prompt, or the agent's runtime. */
export const LEARNED_FROM = ["provider_error", "model_reported"] as const;
export type LearnedFrom = (typeof LEARNED_FROM)[number];

/**
 * Where a window's size comes from: the session's own parameters and settings, its profile or the config, the model
 * catalogue, a guess of the catalogue's, or what was learned of the model.
 */
export const WINDOW_ORIGINS = ["session", "profile", "model", "guessed", ...LEARNED_FROM] as const;
export type WindowOrigin = (typeof WINDOW_ORIGINS)[number];

/** Snake case on the wire, where both names are the same. */
export interface WindowSource {
  readonly from: WindowOrigin;
  /** When it was learned, ms since the epoch; null where it was not. */
  readonly at: number | null;
}

export function isLearned(origin: WindowOrigin): origin is LearnedFrom {
  return (LEARNED_FROM as readonly WindowOrigin[]).includes(origin);
}
