import type { Provider } from "../provider.ts";
import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { cerebras } from "./cerebras.ts";
import { cohere } from "./cohere.ts";
import { dashscope } from "./dashscope.ts";
import { deepseek } from "./deepseek.ts";
import { fireworks } from "./fireworks.ts";
import { gemini } from "./gemini.ts";
import { generic } from "./generic.ts";
import { github } from "./github.ts";
import { groq } from "./groq.ts";
import { litellm } from "./litellm.ts";
import { llamaCpp } from "./llama-cpp.ts";
import { lmStudio } from "./lm-studio.ts";
import { minimax } from "./minimax.ts";
import { mistral } from "./mistral.ts";
import { moonshot } from "./moonshot.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openrouter } from "./openrouter.ts";
import { sglang } from "./sglang.ts";
import { tgi } from "./tgi.ts";
import { together } from "./together.ts";
import { vllm } from "./vllm.ts";
import { xai } from "./xai.ts";
import { zai } from "./zai.ts";

/**
 * Everyone whose words are known. A new one is one file and one line here. Of equally full matches the first counts, so
 * that families and words of nobody stand last.
 */
export const providers: readonly Provider[] = [
  anthropic,
  azure,
  bedrock,
  cerebras,
  cohere,
  dashscope,
  deepseek,
  fireworks,
  gemini,
  github,
  groq,
  litellm,
  llamaCpp,
  lmStudio,
  minimax,
  mistral,
  moonshot,
  ollama,
  openrouter,
  sglang,
  tgi,
  together,
  vllm,
  xai,
  zai,
  openai,
  openaiCompatible,
  generic,
];
