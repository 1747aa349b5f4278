import { describe, expect, it } from "vitest";
import { sizeWindow, type WindowOffers } from "../../src/manager/window-size.ts";

const AT = Date.UTC(2025, 10, 21);
const catalogued = { context_window: 200_000, max_input_tokens: null, guessed: false };
const guess = { context_window: 128_000, max_input_tokens: null, guessed: true };
const learned = (limit: number) => ({ limit, learnedFrom: "provider_error", at: AT, sessionId: "s" }) as const;
const nothing: WindowOffers = { session: null, profile: null, model: catalogued, learned: null };

describe("the window of a new session", () => {
  it.each<[string, Partial<WindowOffers>, number, string]>([
    ["the session's own, whatever else is told", { session: 50_000, profile: 60_000 }, 50_000, "session"],
    ["the profile's before the catalogue's", { profile: 60_000 }, 60_000, "profile"],
    ["the profile's, although it is larger than the catalogue's", { profile: 900_000 }, 900_000, "profile"],
    ["the catalogue's", {}, 200_000, "model"],
    [
      "what the model takes, where that is less than its window",
      { model: { ...catalogued, max_input_tokens: 150_000 } },
      150_000,
      "model",
    ],
    ["a guess", { model: guess }, 128_000, "guessed"],
    [
      "what was learned, under the session's own",
      { session: 200_000, learned: learned(131_072) },
      131_072,
      "provider_error",
    ],
    [
      "what was learned, under the profile's",
      { profile: 200_000, learned: learned(131_072) },
      131_072,
      "provider_error",
    ],
    ["what was learned, under the catalogue's", { learned: learned(131_072) }, 131_072, "provider_error"],
    ["the session's own, under what was learned", { session: 50_000, learned: learned(131_072) }, 50_000, "session"],
    ["the profile's, under what was learned", { profile: 60_000, learned: learned(131_072) }, 60_000, "profile"],
    ["the catalogue's, under what was learned", { learned: learned(1_000_000) }, 200_000, "model"],
    [
      "what was told, where it is what was learned",
      { session: 131_072, learned: learned(131_072) },
      131_072,
      "session",
    ],
    [
      "what was learned in place of a smaller guess",
      { model: guess, learned: learned(1_000_000) },
      1_000_000,
      "provider_error",
    ],
    ["what was learned in place of a larger guess", { model: guess, learned: learned(8_192) }, 8_192, "provider_error"],
    ["the profile's in place of a guess", { model: guess, profile: 60_000 }, 60_000, "profile"],
  ])("is %s", (_what, offers, tokens, from) => {
    const at = from === "provider_error" ? AT : null;
    expect(sizeWindow({ ...nothing, ...offers })).toEqual({ tokens, source: { from, at } });
  });
});
