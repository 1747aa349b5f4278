import { provider } from "../provider.ts";

/** Together AI speaks the words of the servers that it runs (sglang, tgi). */
export const together = provider({
  name: "together",
  summary: "Together AI.",
  hints: ["together.ai", "together.xyz", "together_ai", "togetherai"],
  rules: {},
});
