import { Counter, Gauge } from "prom-client";
import type { MetricFamily, ShadowPolicyFigures } from "../family.ts";

/** Sums by policy: what is divided by what is said in docs/shadow.md. */
const SUMS: readonly {
  readonly name: string;
  readonly help: string;
  readonly of: (figures: ShadowPolicyFigures) => number;
}[] = [
  {
    name: "contextd_shadow_turns_total",
    help: "Model calls of watched sessions that a policy was measured by: live, or a candidate.",
    of: ({ turns }) => turns,
  },
  {
    name: "contextd_shadow_need_weight_total",
    help: "Weight of the values that answers in watched sessions needed from earlier messages.",
    of: ({ needWeight }) => needWeight,
  },
  {
    name: "contextd_shadow_line_weight_total",
    help: "Of the needed weight: what stood on whole lines in the policy's context.",
    of: ({ lineWeight }) => lineWeight,
  },
  {
    name: "contextd_shadow_value_weight_total",
    help: "Of the needed weight: what stood anywhere in the policy's context.",
    of: ({ valueWeight }) => valueWeight,
  },
  {
    name: "contextd_shadow_cost_tokens_total",
    help: "Cost of the policy's prompts, in fresh input tokens: 0.1 x prefix hits + 1.25 x the rest.",
    of: ({ costTokens }) => costTokens,
  },
  {
    name: "contextd_shadow_unmanaged_cost_tokens_total",
    help: "What the same prompts would have cost with nothing ever taken out.",
    of: ({ unmanagedCostTokens }) => unmanagedCostTokens,
  },
  {
    name: "contextd_shadow_sent_tokens_total",
    help: "Tokens of the policy's prompts.",
    of: ({ tokensSent }) => tokensSent,
  },
  {
    name: "contextd_shadow_prefix_hit_tokens_total",
    help: "Of the tokens sent: those in the longest common prefix with the prompt before.",
    of: ({ prefixHits }) => prefixHits,
  },
  {
    name: "contextd_shadow_edits_total",
    help: "Edits that the policy made, or would have made, at the start of a turn.",
    of: ({ edits }) => edits,
  },
];

export const shadow: MetricFamily = ({ registry, dependencies, bounds }) => {
  for (const { name, help, of } of SUMS) {
    new Counter({
      name,
      help,
      labelNames: ["policy"],
      registers: [registry],
      collect() {
        this.reset();
        for (const { policy, figures } of dependencies.shadow().policies) {
          this.inc({ policy: bounds.hold("shadow policy", policy) }, of(figures));
        }
      },
    });
  }
  new Gauge({
    name: "contextd_shadow_sessions",
    help: "Sessions that are watched for shadow mode now.",
    registers: [registry],
    collect() {
      this.set(dependencies.shadow().watched);
    },
  });
  new Counter({
    name: "contextd_shadow_sessions_ended_total",
    help: "Sessions that are no longer watched, by reason.",
    labelNames: ["reason"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, sessions] of Object.entries(dependencies.shadow().ended)) this.inc({ reason }, sessions);
    },
  });
  return {};
};
