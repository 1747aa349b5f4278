import type { WindowOrigin, WindowSource } from "../model/window-source.ts";
import type { ModelEntry } from "../tokens/index.ts";
import type { LearnedWindow } from "./learned-models.ts";

/** What is known of the size of a window that is about to be opened; null: not told. */
export interface WindowOffers {
  /** `max_context_tokens` of the call or of the session's own settings. */
  readonly session: number | null;
  /** `max_context_tokens` of the profile or the config. */
  readonly profile: number | null;
  readonly model: Pick<ModelEntry, "context_window" | "max_input_tokens" | "guessed">;
  /** The limit learned of the model, while it is believed. */
  readonly learned: LearnedWindow | null;
}

export interface SizedWindow {
  readonly tokens: number;
  readonly source: WindowSource;
}

/**
 * The window of a session: what was told, by the session before its profile before the catalogue, but never more than
 * was learned of the model, since the provider would refuse it. A guess gives way to what was learned.
 */
export function sizeWindow({ learned, ...told }: WindowOffers): SizedWindow {
  const { tokens, from } = toldWindow(told);
  if (learned !== null && (from === "guessed" || learned.limit < tokens)) {
    return { tokens: learned.limit, source: { from: learned.learnedFrom, at: learned.at } };
  }
  return { tokens, source: { from, at: null } };
}

function toldWindow({ session, profile, model }: Omit<WindowOffers, "learned">): {
  readonly tokens: number;
  readonly from: WindowOrigin;
} {
  if (session !== null) return { tokens: session, from: "session" };
  if (profile !== null) return { tokens: profile, from: "profile" };
  // Some providers limit the input below the window.
  const tokens = Math.min(model.context_window, model.max_input_tokens ?? Number.POSITIVE_INFINITY);
  return { tokens, from: model.guessed ? "guessed" : "model" };
}
