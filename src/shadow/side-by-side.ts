import { type Config, resolveSettings } from "../config/index.ts";
import { limitsOf } from "../manager/measure.ts";
import { appliedEdits } from "../manager/reply.ts";
import type { Log } from "../model/log.ts";
import type { SessionKey } from "../model/session-key.ts";
import { type ModelCatalogue, type RelativePrices, relativePrices } from "../tokens/index.ts";
import { Candidate, type CandidateOptions, type CandidateParts } from "./candidate.ts";
import { dataOf, type FollowedCall, FollowedSession, isArrival, type StoredCall } from "./followed-call.ts";
import { type PolicyFigures, PolicyMeasure } from "./policy-measure.ts";
import { RunMeasure } from "./run-measure.ts";

/** Name of the session's own policy among the figures. */
const LIVE = "live";

/** Where the candidates cannot go on as the session does, or there is no more to follow. */
type LastCall = "closed" | "history_rewritten" | "new_window" | "too_large";

/** Tokens of a run that is too large to be held whole in memory. */
const MOST_TOKENS = 4_000_000;

/** Hooks that hand the context out: what the model answers next is an answer to it. */
const HANDS_OUT: ReadonlySet<string> = new Set(["on_turn_start", "on_overflow"]);

export interface SideBySideParts extends Omit<CandidateParts, "config" | "catalogue"> {
  /** The config in effect when it began. */
  readonly config: Config;
  readonly catalogue: () => ModelCatalogue;
  readonly background: ReadonlySet<string>;
  readonly log: Log;
}

/** One policy on one session. */
export interface PolicyRecord {
  readonly policy: string;
  readonly figures: PolicyFigures;
  /** Why a candidate stopped before the session did: the reason of an error; null when it did not. */
  readonly ended: string | null;
}

/** A session and its candidates, call by call: what each policy hands out, and what the model's answers need of it. */
export class SideBySide {
  readonly #parts: SideBySideParts;
  readonly #followed: FollowedSession;
  readonly #run: RunMeasure;
  readonly #live: PolicyMeasure;
  readonly #candidates: readonly Candidate[];
  #call: FollowedCall | null = null;
  /** Candidates that have not had the call. */
  #toFeed: Candidate[] = [];

  constructor(key: SessionKey, candidates: readonly CandidateOptions[], parts: SideBySideParts) {
    const { config, background, catalogue, plugins, counter, needModel } = parts;
    this.#parts = parts;
    this.#followed = new FollowedSession(key);
    this.#run = new RunMeasure(background);
    this.#live = new PolicyMeasure(this.#run.lines);
    this.#candidates = candidates.map(
      (options) =>
        new Candidate(options, new PolicyMeasure(this.#run.lines), {
          config: () => config,
          catalogue,
          plugins,
          counter,
          needModel,
        }),
    );
  }

  get agent(): string {
    return this.#followed.session.agent;
  }

  get profile(): string {
    return this.#followed.session.profile;
  }

  /** The session's own policy first, then the candidates. */
  records(): PolicyRecord[] {
    const candidates = this.#candidates.map(({ name, measure, ended }) => ({
      policy: name,
      figures: measure.figures(),
      ended,
    }));
    return [{ policy: LIVE, figures: this.#live.figures(), ended: null }, ...candidates];
  }

  /**
   * The session's next call, once every candidate has had the one before. Answers why it is the last one that can be
   * followed, or null. Throws when it does not fit the session's state.
   */
  follow(stored: StoredCall): LastCall | null {
    const { session } = this.#followed;
    const call = this.#followed.follow(stored);
    const measures = [this.#live, ...this.#candidates.map(({ measure }) => measure)];
    const window = { format: session.format, ...this.#terms() };
    for (const arrived of call.arrived) this.#run.add(arrived, window, measures);
    if (HANDS_OUT.has(call.hook)) this.#live.handOut(session.messages, appliedEdits(call.events).length);
    this.#call = call;
    this.#toFeed = this.#candidates.filter((candidate) => candidate.ended === null);
    return this.#lastCall(call);
  }

  /** Gives the call to one more candidate; answers false when all have had it. */
  async feedNext(): Promise<boolean> {
    const candidate = this.#toFeed.shift();
    if (!candidate || !this.#call) return false;
    await candidate.follow(this.#call, this.#followed.session);
    if (candidate.ended !== null) {
      const fields = { candidate: candidate.name, reason: candidate.ended };
      this.#parts.log.warn(fields, "a candidate could not go on as the session did");
    }
    return true;
  }

  async end(): Promise<void> {
    await Promise.all(this.#candidates.map((candidate) => candidate.end()));
  }

  #lastCall(call: FollowedCall): LastCall | null {
    if (this.#followed.session.closed) return "closed";
    const isInserted = dataOf(call, "message.added").some(
      ({ after, source }) => after !== undefined && isArrival(call.hook, source),
    );
    if (isInserted || dataOf(call, "message.removed").length > 0) return "history_rewritten";
    if (dataOf(call, "window.opened").some(({ number }) => number > 1)) return "new_window";
    return this.#run.tokens > MOST_TOKENS ? "too_large" : null;
  }

  /** What a context of the live policy holds before it is edited, at most, and what the cache costs. */
  #terms(): { readonly windowTokens: number; readonly prices: RelativePrices } {
    const { session } = this.#followed;
    const { config, catalogue } = this.#parts;
    const settings = resolveSettings(config, session.profile, session.ownSettings);
    const model = catalogue().find(session.model);
    const { thresholds } = limitsOf(session, { settings, model });
    const windowTokens = Math.ceil(thresholds.orange * session.maxTokens) - 1;
    return { windowTokens, prices: relativePrices(model.prices) };
  }
}
