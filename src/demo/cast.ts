import type { JsonObject } from "../model/json.ts";
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
  /** Writes notes and a list of what is to be done. */
  readonly plans?: boolean;
  /** Turn in which it sends a helper. */
  readonly delegatesAt?: number;
  /** Its own settings over its profile's, as `session.open` takes them. */
  readonly settings?: JsonObject;
  /** Turns between two surveys: several reads in one turn, which take the context from yellow into red. Default 7. */
  readonly surveyEvery?: number;
  /** Share of the demo's turns that it takes; it begins the later. Default 1. */
  readonly share?: number;
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
    reportsEvery: 1,
    sendsHistory: true,
    spikeAt: 6,
  },
  {
    agent: "researcher",
    profile: "research",
    model: "claude-opus-4",
    format: "anthropic",
    window: 65_536,
    goal: "Find out how eviction decides, from the scorers to the journal, and what the tests promise.",
    areas: ["src/eviction", "test/eviction", "src/references", "docs", "src", "test"],
    calls: 2,
    recalls: true,
    plans: true,
    delegatesAt: 5,
    reportsEvery: 2,
    surveyEvery: 8,
    overflowAt: 10,
  },
  {
    agent: "bug-hunter",
    profile: "default-128k",
    model: "gpt-4o-mini",
    format: "openai",
    window: 98_304,
    goal: "Look for a call that is counted twice: follow the tokens from the counter to the metrics.",
    areas: ["src/tokens", "src/telemetry", "src/budget", "test/tokens", "src"],
    calls: 2,
    recalls: true,
    reportsEvery: 4,
    surveyEvery: 9,
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
    surveyEvery: 11,
  },
  {
    agent: "migrator",
    profile: "large-200k",
    model: "claude-sonnet-4",
    format: "anthropic",
    window: 24_576,
    goal: "Prepare the move of the store to another database: what it promises, and who relies on it.",
    areas: ["src/store", "test/store", "docs", "src/manager"],
    calls: 2,
    plans: true,
    reportsEvery: 1,
    surveyEvery: 10,
    // Nothing is evicted within a window: the next one goes on from a checkpoint.
    settings: { eviction: { policy: "none" }, cross_window: { enabled: true } },
  },
  {
    agent: "support",
    profile: "customer-support",
    model: "gpt-4.1-mini",
    format: "openai",
    window: 49_152,
    goal: "Answer how an alert gets from a session to a receiver, and what happens when the receiver is down.",
    areas: ["src/telemetry/sinks", "src/health", "docs/runbooks", "docs"],
    calls: 1,
    plans: true,
    reportsEvery: 1,
    surveyEvery: 13,
  },
];

/** How a member differs in the rounds behind the first: the size of its window, and how much of the demo it takes part in. */
const VARIATIONS: readonly { readonly window: number; readonly share: number; readonly surveys: number }[] = [
  { window: 1.5, share: 0.45, surveys: 2 },
  { window: 0.75, share: 0.8, surveys: 1 },
  { window: 2, share: 0.6, surveys: 4 },
  { window: 1.25, share: 0.25, surveys: 0 },
  { window: 3, share: 0.9, surveys: 3 },
];
/** Windows are multiples of it, tokens. */
const WINDOW_STEP = 1_024;

/**
 * The agents of a demo with so many sessions: the cast, again and again. From the second time on with a number, a window
 * of another size and a part of the turns, so that they are not all at the same point.
 */
export function castOf(sessions: number): CastMember[] {
  return Array.from({ length: sessions }, (_, index) => {
    const member = CAST[index % CAST.length] as CastMember;
    const round = Math.floor(index / CAST.length) + 1;
    return round === 1 ? member : varied(member, round, index);
  });
}

function varied(member: CastMember, round: number, index: number): CastMember {
  const { window, share, surveys } = VARIATIONS[(index + round) % VARIATIONS.length] as (typeof VARIATIONS)[number];
  return {
    ...member,
    agent: `${member.agent}-${round}`,
    window: Math.max(8, Math.round((member.window * window) / WINDOW_STEP)) * WINDOW_STEP,
    surveyEvery: (member.surveyEvery ?? 7) + surveys,
    share,
  };
}
