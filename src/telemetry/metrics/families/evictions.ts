import { Counter } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

/** The events of merges and truncations do not carry the block's type. */
const UNSPECIFIED = "unspecified";

export const evictions: MetricFamily = ({ registry, bounds }) => {
  const labelNames = ["profile", "policy", "block_type", "method"];
  const blocks = new Counter({
    name: "contextd_blocks_evicted_total",
    help: "Blocks cleared, dropped, merged, truncated or summarised, by the policy that chose them.",
    labelNames,
    registers: [registry],
  });
  const freed = new Counter({
    name: "contextd_tokens_freed_total",
    help: "Tokens that edits took out of contexts.",
    labelNames,
    registers: [registry],
  });
  const count = (profile: string, policy: string, blockType: string, method: string, tokens: number): void => {
    const labels = { profile, policy: bounds.hold("policy", policy), block_type: blockType, method };
    blocks.inc(labels);
    freed.inc(labels, Math.max(0, tokens));
  };
  return {
    on: {
      "block.evicted": (event) => {
        const { policy, block_type, method, tokens_freed } = event.data;
        count(profileOf(event, bounds), policy, block_type, method, tokens_freed);
      },
      "block.merged": (event) =>
        count(profileOf(event, bounds), event.data.policy, UNSPECIFIED, "merge", event.data.tokens_freed),
      "block.truncated": (event) => {
        const { pass_id, tokens_before, tokens_after } = event.data;
        const policy = pass_id === null ? "ingest" : "cascade";
        count(profileOf(event, bounds), policy, UNSPECIFIED, "truncate", tokens_before - tokens_after);
      },
      "block.summarized": (event) => {
        const { pass_id, block_type, tokens_freed } = event.data;
        const policy = pass_id === null ? "ingest" : "cascade";
        count(profileOf(event, bounds), policy, block_type, "summarize", tokens_freed);
      },
    },
  };
};
