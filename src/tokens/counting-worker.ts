import { parentPort } from "node:worker_threads";
import { tokenizers } from "./registry.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** What the counter asks of its worker. */
export interface CountRequest {
  readonly id: number;
  readonly tokenizer: string;
  readonly text: string;
}

/** What the worker answers. Any failure ends the worker, and the counter estimates. */
export interface CountReply {
  readonly id: number;
  readonly tokens: number;
}

const made = new Map<string, Tokenizer>();

parentPort?.on("message", ({ id, tokenizer, text }: CountRequest) => {
  let counter = made.get(tokenizer);
  if (counter === undefined) {
    const make = tokenizers[tokenizer];
    if (make === undefined) throw new Error(`no tokenizer is named ${tokenizer}`);
    counter = make();
    made.set(tokenizer, counter);
  }
  parentPort?.postMessage({ id, tokens: counter.count(text) } satisfies CountReply);
});
