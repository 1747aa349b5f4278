import type { Config } from "../config/index.ts";
import { contentHash } from "../model/content-hash.ts";
import { keyText, type SessionKey } from "../model/session-key.ts";

/** Hex digits of the hash that are read: 32 bits. */
const DIGITS = 8;

/** Whether a new session is watched: one of those asked for, and drawn. The same session is always drawn the same. */
export function isChosen(
  { share, agents, profiles }: Config["shadow"]["sessions"],
  key: SessionKey,
  { agent, profile }: { readonly agent: string; readonly profile: string },
): boolean {
  if (agents !== null && !agents.includes(agent)) return false;
  if (profiles !== null && !profiles.includes(profile)) return false;
  return Number.parseInt(contentHash(keyText(key)).slice(0, DIGITS), 16) < share * 16 ** DIGITS;
}
