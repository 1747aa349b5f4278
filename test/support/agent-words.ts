import type { Json, JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";
import type { Call, Setup, Text, Turn } from "./agent-run.ts";
import { PNG_3_BY_2 } from "./message-arbitraries.ts";

/** Longest text that is said, in characters: bounds the time of a run in a big window. */
const MOST_CHARACTERS = 3_000;
const WORDS =
  "open the file and parse each token of the window then commit src/journal.ts:42 error value_index handle zone ";
const PROSE = WORDS.repeat(Math.ceil((MOST_CHARACTERS + 200) / WORDS.length));
const ODD = [
  "\ud83d\ude00 \u65e5\u672c\u8a9e \u0645\u0631\u062d\u0628\u0627",
  "a\ud800b",
  '{"$": "text"} <|endoftext|>',
  "x".repeat(300),
  "\u200b. \n\n\n .",
  "0",
];

const IMAGE: Readonly<Record<MessageFormatName, JsonObject>> = {
  openai: { type: "image_url", image_url: { url: `data:image/png;base64,${PNG_3_BY_2}` } },
  anthropic: { type: "image", source: { type: "base64", media_type: "image/png", data: PNG_3_BY_2 } },
};

/** A text of its size, which is a share of the window and at most `most` of it: never blank. */
export function saying({ kind, size, seed }: Text, window: number, most = 1): string {
  const characters = Math.min(MOST_CHARACTERS, Math.round(Math.min(size, most) * window * 4));
  switch (kind) {
    case "prose": {
      const from = seed % WORDS.length;
      return `t${seed} ${PROSE.slice(from, from + characters).trim()}\nfile_${seed % 7}.txt line ${seed % 50}.`;
    }
    case "same":
      return `Listing of module_${seed % 3}:\n${PROSE.slice(0, characters).replaceAll("then", "\n")} end.`;
    case "odd":
      return ODD[seed % ODD.length] as string;
    case "short":
      return `ok ${seed % 5}.`;
  }
}

/** The content of a user's message that says the text, in one of its forms. */
export function asking(text: string, form: Turn["askForm"], format: MessageFormatName): Json {
  const part = { type: "text", text };
  switch (form) {
    case "text":
      return text;
    case "parts":
      return [part, { type: "text", text: "And also this." }];
    case "image":
      return [part, IMAGE[format]];
    case "unknown":
      return [part, { type: "later_kind", payload: { $: "text", note: "kept as it is" } }];
  }
}

/** The arguments of a call. */
export function inputOf({ name, file, input }: Call, window: number): JsonObject {
  const path = `src/file_${file}.ts`;
  return name === "write_file" ? { path, content: saying(input, window) } : { path };
}

/** What a tool answers. */
export function resultOf({ form, result }: Call, { format, window }: Setup): Json {
  const text = saying(result, window);
  // OpenAI takes no image in a tool's message.
  if (format === "openai" && form.startsWith("image")) return text;
  switch (form) {
    case "text":
      return text;
    case "parts":
      return [
        { type: "text", text },
        { type: "text", text: "second part" },
      ];
    case "image":
      return [{ type: "text", text }, IMAGE[format]];
    case "image_alone":
      return [IMAGE[format]];
    case "json":
      return JSON.stringify({ text, ok: true });
    case "empty":
      return "";
  }
}
