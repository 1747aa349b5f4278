import { provider } from "../provider.ts";

export const minimax = provider({
  name: "minimax",
  summary: "MiniMax. The number behind its words is a code.",
  hints: ["minimax"],
  rules: { context_window: { kind: "context_length", says: ["context window exceeds limit"] } },
});
