import { readFileSync } from "node:fs";
import type { Json } from "../../src/model/json.ts";
import type { Refusal } from "../../src/window/overflow/index.ts";

/** What a provider said, where that is on record, and what it tells: read by a person from the text. */
export interface RecordedRefusal {
  readonly name: string;
  readonly source: string;
  readonly note?: string;
  readonly error: Json;
  readonly expected: Omit<Refusal, "rule">;
}

const FILE = new URL("../fixtures/overflow/refusals.json", import.meta.url);

export const recordedRefusals = JSON.parse(readFileSync(FILE, "utf8")) as readonly RecordedRefusal[];
