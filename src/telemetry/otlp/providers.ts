/**
 * Who serves a model, by what its name begins with, in the words of OpenTelemetry's `gen_ai.provider.name`. The daemon
 * does not call the agent's model, so the name is all that it knows.
 */
const PROVIDERS: readonly (readonly [name: RegExp, provider: string])[] = [
  [/^(gpt-|o[1-9]|chatgpt-|codex)/, "openai"],
  [/^claude/, "anthropic"],
  [/^gemini/, "gcp.gemini"],
  [/^(mistral|mixtral|codestral|devstral|ministral|magistral)/, "mistral_ai"],
  [/^deepseek/, "deepseek"],
  [/^grok/, "x_ai"],
  [/^command/, "cohere"],
];

/** Undefined for a model whose name tells nothing. */
export function providerOf(model: string): string | undefined {
  return PROVIDERS.find(([name]) => name.test(model))?.[1];
}
