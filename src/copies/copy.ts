import type { PublishedEvent } from "../model/events.ts";
import type { SessionKey } from "../model/session-key.ts";

/** What a copy holds, read when it is about to be written; null: nothing is to be written. */
export type CopyText = (key: SessionKey) => Promise<string | null>;

/**
 * A file a session that people can read: a copy of what the journal has, never read by the daemon. Its place is the
 * config's; sessions have no say in it.
 */
export interface Copy {
  /** For the log, as in "a session's notes". */
  readonly what: string;
  /** Ending of the file where the config names it without one, as `.md`. */
  readonly extension: string;
  /** The file that the config names for sessions of a profile; null: none. */
  fileOf(profile: string): string | null;
  /** What the file holds after an event of a session; null: the event does not concern it. */
  textAfter(event: PublishedEvent): CopyText | null;
}
