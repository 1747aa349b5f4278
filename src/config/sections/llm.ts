import { z } from "zod";
import { WIRE_NAMES } from "../../llm/index.ts";
import { baseUrl, HEADER_VALUE, headers } from "./http.ts";
import { count, milliseconds, path } from "./quantities.ts";

const model = () =>
  z
    .strictObject({
      api: z
        .enum(WIRE_NAMES)
        .default("openai-chat")
        .describe(
          "Wire format: `openai-chat` for OpenAI, Ollama, vLLM, llama.cpp, LM Studio, LiteLLM; `anthropic-messages`.",
        ),
      base_url: baseUrl("api_key_file or headers")
        .describe("Where it is: with its version for openai-chat (…/v1), the host alone for anthropic-messages.")
        .meta({ examples: ["http://localhost:11434/v1"] }),
      model: z
        .string()
        .min(1)
        .max(200)
        .describe("Name of the model, as the backend knows it.")
        .meta({ examples: ["qwen3:8b"] }),
      api_key: z
        .string()
        .max(4096)
        .regex(HEADER_VALUE, "must be one word of printable ASCII")
        .nullable()
        .default(null)
        .describe("Its key; better in a file or in the environment. null: none is sent.")
        .meta({ writeOnly: true }),
      api_key_file: path()
        .nullable()
        .default(null)
        .describe("File that holds the key; read again before each call, so that a renewed key holds at once."),
      headers: headers()
        .describe("Headers that go with each request, over the format's own.")
        .meta({ writeOnly: true }),
      temperature: z
        .union([z.literal("auto"), z.number().min(0).max(2)])
        .nullable()
        .default("auto")
        .describe("`auto`: 0 for openai-chat, none for anthropic-messages, which takes none any more; null: not sent."),
      deadline_ms: milliseconds(10)
        .default(60_000)
        .describe("Time for one call with all its attempts and waits, in ms; no hook waits for it."),
      attempts: count(1, 10).default(3).describe("Requests that one call may take where the failure may pass."),
      concurrency: count(1, 100).default(2).describe("Calls at once; others wait, and the wait counts."),
      max_response_bytes: count(1024, 1 << 30)
        .default(1 << 20)
        .describe("Largest reply, in bytes after decompression; longer ones are cut off and dropped."),
      max_output_tokens: count(16, 1_000_000)
        .default(1024)
        .describe("Longest answer, in tokens; models that think before they answer need more."),
      max_input_tokens: z
        .union([z.literal("auto"), count(256)])
        .default("auto")
        .describe("Longest prompt, in tokens; `auto`: as the backend or the catalogue says, else 8000."),
    })
    .superRefine(({ api_key, api_key_file }, context) => {
      if (api_key === null || api_key_file === null) return;
      context.addIssue({
        code: "custom",
        path: ["api_key_file"],
        message: "is given beside api_key: give one of them",
      });
    })
    .nullable()
    .default(null);

/** The models that summarise and judge. */
export const llm = z
  .strictObject({
    summarizer: model().describe("Model that summarises what leaves the context; null: summaries are extracted."),
    judge: model().describe("Model that judges what a fold has kept; null: the summarizer's."),
  })
  .prefault({})
  .describe("Models that summarise and judge. None is needed: without them summaries are extracted, by rules.")
  .meta({ "x-restart": true });
