import type { MessageFormatName } from "../model/message.ts";

/** An agent of the demo: who it says it is, and how it works. */
export interface CastMember {
  readonly agent: string;
  readonly profile: string;
  readonly model: string;
  readonly format: MessageFormatName;
  /** Size of its window, tokens. */
  readonly window: number;
  readonly goal: string;
  /** Folders it works in, the first one first. */
  readonly areas: readonly string[];
  /** Calls it makes in one turn, at most, surveys aside. */
  readonly calls: number;
  /** Sends its whole history at each turn, in place of what is new. */
  readonly sendsHistory?: boolean;
  /** Has a tool that brings evicted text back. */
  readonly recalls?: boolean;
  /** Turns between two reports of the provider's usage; none: it never reports. */
  readonly reportsEvery?: number;
  /** Turn whose one result is larger than the whole window. */
  readonly spikeAt?: number;
  /** Turn whose context the provider refuses as too long. */
  readonly overflowAt?: number;
}

/** Small windows, so that each one fills within a few turns. */
export const CAST: readonly CastMember[] = [
  {
    agent: "code-reader",
    profile: "local-8k",
    model: "qwen2.5-coder",
    format: "openai",
    window: 8_192,
    goal: "Explain how a call on a session becomes events, and which file decides what.",
    areas: ["src/manager", "src/model", "src/store", "src"],
    calls: 1,
  },
  {
    agent: "reviewer",
    profile: "code-review",
    model: "claude-sonnet-4",
    format: "anthropic",
    window: 16_384,
    goal: "Review the server: limits, refusals, and whether each has a test. Name what is missing.",
    areas: ["src/server", "test/server", "src/rpc", "test/rpc", "src"],
    calls: 3,
    reportsEvery: 3,
  },
  {
    agent: "surveyor",
    profile: "default-128k",
    model: "gpt-4o",
    format: "openai",
    window: 32_768,
    goal: "List every key of the configuration with the code that uses it.",
    areas: ["src/config", "config", "docs", "src"],
    calls: 2,
    sendsHistory: true,
    spikeAt: 6,
  },
  {
    agent: "researcher",
    profile: "research",
    model: "claude-opus-4",
    format: "anthropic",
    window: 131_072,
    goal: "Find out how eviction decides, from the scorers to the journal, and what the tests promise.",
    areas: ["src/eviction", "test/eviction", "src/references", "docs", "src", "test"],
    calls: 2,
    recalls: true,
    reportsEvery: 2,
    overflowAt: 10,
  },
  {
    agent: "bug-hunter",
    profile: "default-128k",
    model: "gpt-4o-mini",
    format: "openai",
    window: 65_536,
    goal: "Look for a call that is counted twice: follow the tokens from the counter to the metrics.",
    areas: ["src/tokens", "src/telemetry", "src/budget", "test/tokens", "src"],
    calls: 2,
    recalls: true,
    reportsEvery: 4,
  },
  {
    agent: "doc-writer",
    profile: "local-8k",
    model: "llama-3.1-8b-instruct",
    format: "openai",
    window: 8_192,
    goal: "Write one paragraph for each folder of the source, for people who are new to it.",
    areas: ["docs", "src", "scripts"],
    calls: 1,
  },
];

/** The agents of a demo with so many sessions: the cast, again and again, with a number from the second time on. */
export function castOf(sessions: number): CastMember[] {
  return Array.from({ length: sessions }, (_, index) => {
    const member = CAST[index % CAST.length] as CastMember;
    const round = Math.floor(index / CAST.length) + 1;
    return round === 1 ? member : { ...member, agent: `${member.agent}-${round}` };
  });
}
