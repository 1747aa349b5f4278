import { provider } from "../provider.ts";

export const moonshot = provider({
  name: "moonshot",
  summary: "Moonshot AI (Kimi). What it says to be requested may count the answer asked for too.",
  hints: ["moonshot", "kimi"],
  rules: {
    token_limit: {
      kind: "context_length",
      says: [
        "request exceeded model token limit: {limit} (requested: {})",
        "request exceeded model token limit: {limit}",
      ],
    },
    max_length: { kind: "context_length", says: ["model max length exceeded, max length: {limit}"] },
  },
});
