/** Bedrock's names start with a region group and the vendor: `us.anthropic.claude-…`. */
const BEDROCK_REGION = /^(?:us|us-gov|eu|apac|ap|au|jp|ca|sa|global)\./;
const BEDROCK_VENDOR =
  /^(?:anthropic|meta|mistral|amazon|deepseek|cohere|qwen|openai|google|ai21|moonshotai|minimax|zai)\./;
/** `ft:gpt-4o-2024-08-06:org:name:id` */
const FINE_TUNED = /^ft:([^:]+)/;

/**
 * A model's bare name: lower case, without the path of a gateway or provider (`openai/`, `litellm_proxy/anthropic/`,
 * `bedrock/`, `models/`), Bedrock's region and vendor, and what a fine-tuning job put around it. OpenRouter writes
 * Claude's versions with dots: here they have dashes, as Anthropic's own names.
 */
export function modelName(model: string): string {
  let name = model.trim().toLowerCase();
  name = name.slice(name.lastIndexOf("/") + 1);
  name = FINE_TUNED.exec(name)?.[1] ?? name;
  name = name.replace(BEDROCK_REGION, "").replace(BEDROCK_VENDOR, "");
  return name.startsWith("claude") ? name.replace(/(\d)\.(\d)/g, "$1-$2") : name;
}

/** `2024-08-06`, `05-06`, `03-2025` */
const DATE = /(?<!\d)(?:\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4})(?!\d)/g;
/** Bedrock's `v1:0`. */
const VERSION = /v\d+:\d+/g;
/** Dates and build numbers, and words for a form of serving or a size: the window is the same. */
const SAME_MODEL =
  /^(?:date|version|v\d+|\d{3,8}|latest|preview|exp|beta|instruct|chat|it|thinking|reasoning|non|multi|agent|maas|free|hf|gguf|awq|fp8|fp16|q\d|a?\d+(?:\.\d+)?b|\d+e)$/;

/** Whether what follows a known name (`-2024-08-06`, `-v1:0`, `@20250514`, `-latest`) leaves it the same model. */
export function isClearSuffix(suffix: string): boolean {
  if (suffix === "") return true;
  const words = suffix
    .slice(1)
    .replace(DATE, "date")
    .replace(VERSION, "version")
    .split(/[-:@_]/);
  return words.every((word) => SAME_MODEL.test(word));
}
