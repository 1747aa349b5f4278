import { provider } from "../provider.ts";

/** LiteLLM passes on what the provider says, under a class of its own. */
export const litellm = provider({
  name: "litellm",
  summary: "LiteLLM, where it does not repeat the provider's words.",
  hints: ["litellm"],
  rules: { context_window: { kind: "context_length", says: ["contextwindowexceedederror"] } },
});
