import { randomBytes } from "node:crypto";
import { pause } from "../client/backoff.ts";
import type { ContextdClient } from "../client/index.ts";
import { type AgentReport, DemoAgent, type DemoEvent } from "./agent.ts";
import { castOf } from "./cast.ts";
import { Desk } from "./desk.ts";
import { Explorer } from "./explorer.ts";
import { seededRandom } from "./random.ts";
import { Recorder } from "./recorder.ts";
import { Repository } from "./repository.ts";

export type { AgentReport, DemoEvent } from "./agent.ts";

/** Time between two turns of a helper at one turn a second, ms. */
const HELPER_REST_MS = 400;

export interface DemoOptions {
  readonly sessions: number;
  readonly turns: number;
  /** Turns a second of each session; 0: as fast as it goes. */
  readonly speed: number;
  readonly seed: number;
  /** Leaves the sessions open at the end; those of an interrupted demo are closed all the same. */
  readonly keep: boolean;
  /** Folder that the agents read. */
  readonly root: string;
  /** Folder that takes each run as JSONL; none: nothing is recorded. */
  readonly record?: string;
}

export interface DemoDependencies {
  readonly client: ContextdClient;
  readonly signal: AbortSignal;
  readonly tell: (event: DemoEvent) => void;
}

export interface DemoReport {
  readonly agents: readonly AgentReport[];
  /** Files of the recorded runs. */
  readonly recorded: readonly string[];
}

/**
 * Runs the agents side by side until each has had its turns or the signal is aborted; their sessions are closed then,
 * or kept.
 * An agent that fails is told and does not keep the others from going on.
 */
export async function runDemo(options: DemoOptions, dependencies: DemoDependencies): Promise<DemoReport> {
  const { sessions, speed, seed, keep } = options;
  const { client, signal, tell } = dependencies;
  const repository = new Repository(options.root);
  const recorded: string[] = [];
  const agents = await Promise.all(
    castOf(sessions).map(async (member, index) => {
      const random = seededRandom(seed * 1_000 + index);
      const explorer = new Explorer(member, { repository, random });
      const labels = { id: `demo-${member.agent}-${seed}`, model: member.model, task: member.goal };
      const recorder = new Recorder(labels);
      const turns = Math.max(1, Math.round(options.turns * (member.share ?? 1)));
      const due = pacer(speed, options.turns - turns + index / sessions, signal);
      const sessionId = `${member.agent}-${randomBytes(3).toString("hex")}`;
      const restMs = speed === 0 ? 0 : HELPER_REST_MS / speed;
      const desk = new Desk(sessionId, member, { client, repository, signal, restMs });
      const parts = { client, desk, repository, explorer, recorder };
      const agent = new DemoAgent(sessionId, member, { ...parts, signal, due, tell, keep });
      const report = await agent.run(turns);
      if (options.record !== undefined && report.turns > 0) recorded.push(recorder.write(options.record));
      return report;
    }),
  );
  return { agents, recorded: recorded.sort() };
}

/** When the turns of a session are due: evenly, and the sessions not all at one time. */
function pacer(speed: number, offset: number, signal: AbortSignal): (turn: number) => Promise<void> {
  const begin = performance.now();
  return async (turn) => {
    signal.throwIfAborted();
    if (speed === 0) return;
    const wait = begin + ((turn - 1 + offset) * 1000) / speed - performance.now();
    if (wait > 0) await pause(wait, signal);
  };
}
