import type { ContextdClient } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { PagingAgent, type PagingOptions, pageOfRows } from "./llm-daemon.ts";
import { wire } from "./wire-messages.ts";

/** What `pass.explain` tells, as far as tests of the page read it. */
export interface Explained {
  readonly pass_id: string;
  readonly turn: number;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly max_tokens: number;
  readonly considered: { readonly blocks: number; readonly tokens: number } | null;
  readonly taken: readonly {
    readonly block_id: string;
    readonly type: string;
    readonly title: string;
    readonly method: string;
    readonly tokens_before: number;
    readonly score: number | null;
    readonly signals: readonly { readonly name: string; readonly part: number }[];
    readonly lines_kept: number;
    readonly regret: readonly {
      readonly turn: number;
      readonly line: number | null;
      readonly need: number | null;
      readonly cut_off: number | null;
    }[];
  }[];
  readonly carried: {
    readonly ledger: {
      readonly lines: number;
      readonly entries: readonly {
        readonly text: string;
        readonly block_id: string | null;
        readonly line: number | null;
      }[];
    } | null;
  };
  readonly gate: JsonObject | null;
  readonly shallower: { readonly tokens_freed: number } | null;
  readonly fidelity: { readonly kept: number; readonly by_type: JsonObject } | null;
  readonly previous_pass_id: string | null;
  readonly next_pass_id: string | null;
}

/** An agent whose context is cut by the weighted policy, with a small ledger: some lines are kept, most are not. */
const SETTINGS = { eviction: { policy: "hybrid", keep_recent_units: 1 }, ledger: { enabled: true, share: 0.1 } };

/** A session that real hooks drove through passes; see `miss`. */
export class DecidedSession {
  readonly agent: PagingAgent;

  private constructor(agent: PagingAgent) {
    this.agent = agent;
  }

  static async open(client: ContextdClient, options: PagingOptions): Promise<DecidedSession> {
    const agent = await new PagingAgent(client, { settings: SETTINGS, window: 12_000, ...options }).open();
    return new DecidedSession(agent);
  }

  get id(): string {
    return this.agent.id;
  }

  /** Steps until the daemon has made that many passes more. */
  async decide(passes = 1): Promise<Explained> {
    for (let made = 0; made < passes; made++) await this.agent.until(({ applied }) => applied.length > 0);
    return this.newest();
  }

  async newest(): Promise<Explained> {
    const { entries } = await this.agent.read<{ entries: { data: { pass_id: string } }[] }>("audit.list", {
      types: ["history.compacted"],
      limit: 1,
    });
    return this.explain(entries[0]?.data.pass_id ?? "none");
  }

  explain(passId: string): Promise<Explained> {
    return this.agent.read("pass.explain", { pass_id: passId });
  }

  /** The agent uses a value of a page that the pass took and that its context no longer tells. Answers the value. */
  async miss(pass: Explained): Promise<string> {
    const { messages } = await this.agent.context();
    const live = JSON.stringify(messages);
    for (const { type, block_id } of pass.taken) {
      if (type !== "tool_result") continue;
      const { original } = await this.agent.read<{ original: string }>("content.get", { block_id });
      const value = original.match(/value_\d+_\d+\b/g)?.find((each) => !new RegExp(`${each}\\b`).test(live));
      if (value === undefined) continue;
      await this.agent.call("on_turn_end", { message: wire.openai.answer(`I go on with ${value}.`, []) });
      return value;
    }
    throw new Error("all that the pass took is still told");
  }
}

/** What a tool may answer that the page must show as it is: markup, marks of direction, a line of 4 KB, 200 KB in all. */
export function hostilePage(step: number): string {
  if (step !== 0) return pageOfRows(step);
  return [
    "<script>window.owned = 1</script>",
    '<img src=x onerror="window.owned=1"> <svg onload=window.owned=1>',
    "\u202egnp.exe \u2066isolated",
    `start ${"x".repeat(4_096)} end`,
    ...Array.from(
      { length: 4_000 },
      (_, row) => `entry ${row}: hostile_${row} reads <b>${row * 7}</b> of the long tale`,
    ),
  ].join("\n");
}
