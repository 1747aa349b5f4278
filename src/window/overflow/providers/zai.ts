import { provider } from "../provider.ts";

export const zai = provider({
  name: "zai",
  summary: "Z.ai and Zhipu (GLM).",
  hints: ["z.ai", "zhipu", "code: 1261"],
  rules: { prompt_length: { kind: "context_length", says: ["prompt exceeds max length"] } },
});
