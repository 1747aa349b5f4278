import type { Refusal } from "../../window/overflow/index.ts";
import type { Hook } from "../hook.ts";

/** What a provider told. */
type Told = Pick<Refusal, "kind" | "limit" | "inputTokens">;

/** No window is smaller: a figure below is none of a window. */
const LEAST_WINDOW = 256;

/**
 * Takes what the provider told of the refused prompt for what is true: the window, where it is smaller than was thought or
 * was only guessed, and the prompt's tokens. A window that the agent wants smaller than the provider's stays.
 */
export function learn(hook: Hook, { kind, limit, inputTokens }: Told): void {
  const { session } = hook;
  const isWindow = kind === "context_length" && limit !== null && limit >= LEAST_WINDOW;
  if (isWindow && (session.windowGuessed || limit < session.maxTokens)) {
    hook.emit("window.resized", { max_tokens: limit, learned_from: "provider_error" });
  }
  if (inputTokens !== null && inputTokens > 0) {
    hook.emit("usage.anchored", { tokens: inputTokens, raw_tokens: session.rawTokens, source: "anchored" });
  }
}
