/** Something that an agent can look at and compare before it goes on. */
export interface Check {
  /** Key of the environment that it is about; of members of an object the path: `files/src/a.ts`. */
  readonly key: string;
  /** What was noted, on one line, secrets masked; null: nothing was, the agent is only to look. */
  readonly expected: string | null;
  /** One imperative sentence, with the command where there is one. */
  readonly ask: string;
  /** True of keys whose meaning is known, false of those of the agent's own. */
  readonly isKnown: boolean;
}

export interface CheckOptions {
  /** Takes the secrets out of a text. */
  readonly mask: (text: string) => string;
  /** What the agent is about to do: files that it names come first. */
  readonly focus?: string;
}
