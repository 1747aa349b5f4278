import type { Json } from "../model/json.ts";
import type { Passage } from "../model/passage.ts";
import { sentencesOf } from "./sentences.ts";
import { normalised } from "./words.ts";

/** What probes are made of: the task, and what a pass took out, in the order in which it came. */
export interface Original {
  readonly goal: string | null;
  readonly constraints: readonly string[];
  readonly passages: readonly Passage[];
}

/** A sentence that the agent or a user said. */
export interface Sentence {
  readonly text: string;
  readonly passage: Passage;
  /** Place of the passage among all, from 0. */
  readonly at: number;
}

/** A tool call with its arguments read. */
export interface Call {
  readonly passage: Passage;
  readonly at: number;
  readonly name: string;
  /** Strings of the arguments by key, the nested ones included; empty where they are no JSON object. */
  readonly strings: readonly (readonly [key: string, value: string])[];
}

/** The passages, each read once, for all kinds of probes. */
export interface ReadOriginal extends Original {
  readonly said: readonly Sentence[];
  readonly asked: readonly Sentence[];
  readonly calls: readonly Call[];
  readonly results: readonly { readonly passage: Passage; readonly at: number }[];
  /** How recent a place is: 0 for the first passage, 1 for the last. */
  recency(at: number): number;
  /** In how many later passages the agent names the word, in what it says or in a call. */
  usesAfter(word: string, at: number): number;
}

/** Characters of a call's arguments, and of a text, that are read: what follows is content that is written, not said. */
const READ = 4_000;
/** Longer arguments are not parsed. */
const PARSED = 200_000;

/** Arguments in which agents think aloud or answer. */
const SPOKEN = /^(?:thoughts?|thinking|reasoning|analysis|plan|message|summary|explanation|answer)$/i;

export function readOriginal(original: Original): ReadOriginal {
  const said: Sentence[] = [];
  const asked: Sentence[] = [];
  const calls: Call[] = [];
  const results: { readonly passage: Passage; readonly at: number }[] = [];
  const named: string[] = original.passages.map(() => "");
  const speak = (into: Sentence[], text: string, passage: Passage, at: number): void => {
    for (const sentence of sentencesOf(text)) into.push({ text: sentence, passage, at });
  };
  for (const [at, passage] of original.passages.entries()) {
    if (passage.type === "tool_result") results.push({ passage, at });
    else if (passage.type === "user_message") speak(asked, passage.text, passage, at);
    else if (passage.tool !== null) {
      const call = readCall(passage, at);
      calls.push(call);
      named[at] = passage.tool.argumentsText.slice(0, READ);
      for (const [key, value] of call.strings) if (SPOKEN.test(key)) speak(said, value, passage, at);
    } else if (passage.type === "assistant_response") {
      named[at] = passage.text.slice(0, READ);
      speak(said, passage.text, passage, at);
    }
  }
  const uses = placesOf(named);
  const last = Math.max(1, original.passages.length - 1);
  return {
    ...original,
    said,
    asked,
    calls,
    results,
    recency: (at) => at / last,
    usesAfter: (word, at) => (uses.get(normalised(word)) ?? []).filter((place) => place > at).length,
  };
}

function readCall(passage: Passage, at: number): Call {
  const { name = "", argumentsText = "" } = passage.tool ?? {};
  const strings: [string, string][] = [];
  if (argumentsText.length <= PARSED) {
    try {
      collect("", JSON.parse(argumentsText) as Json, strings);
    } catch {
      // What is no JSON is one text: a command, or a patch.
      strings.push(["", argumentsText]);
    }
  }
  return { passage, at, name, strings };
}

function collect(key: string, value: Json, into: [string, string][]): void {
  if (typeof value === "string") into.push([key, value]);
  else if (Array.isArray(value)) for (const item of value) collect(key, item, into);
  else if (value !== null && typeof value === "object") {
    for (const [inner, item] of Object.entries(value)) collect(inner, item, into);
  }
}

const NAMED = /[\p{L}\p{N}_]{3,}/gu;

/** Places of the passages that name a word, ascending, by word. */
function placesOf(texts: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [at, text] of texts.entries()) {
    if (text === "") continue;
    for (const [word] of normalised(text).matchAll(NAMED)) {
      const known = places.get(word);
      if (known === undefined) places.set(word, [at]);
      else if (known[known.length - 1] !== at) known.push(at);
    }
  }
  return places;
}
