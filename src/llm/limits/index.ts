import { anthropic } from "./anthropic.ts";
import { llamaCpp } from "./llama-cpp.ts";
import { ollama } from "./ollama.ts";
import type { LimitsSource } from "./source.ts";
import { vllm } from "./vllm.ts";

/** All kinds of backends that tell their limits, in the order they are tried. Another one is one file and one line. */
export const LIMITS_SOURCES: readonly LimitsSource[] = [vllm, llamaCpp, ollama, anthropic];
