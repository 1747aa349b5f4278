import type { Json, JsonObject } from "../../src/model/json.ts";
import type { Random } from "./json-rpc-fuzz.ts";

/** Values that a parameter does not expect, or expects least. */
const HOSTILE: readonly Json[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "\0",
  "../../etc/passwd",
  "\u202egnp.exe",
  "\ud800",
  "__proto__",
  "constructor",
  "x".repeat(300),
  "y".repeat(5000),
  "<|endoftext|>",
  [],
  {},
  [null],
  [[]],
  Array.from({ length: 200 }, (_, n) => n),
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}') as Json,
  { role: "tool", content: "an orphan" },
  { role: "tool", tool_call_id: "call-1", content: "again" },
  { role: "user", content: [{ type: "text" }, { type: "image_url", image_url: 5 }, { type: "unheard of", at: [1] }] },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call-1", type: "function", function: { name: "", arguments: "{" } }],
  },
  { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "call-1", content: [{ type: "text", text: "t" }] }] },
  JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) as Json,
];

/** The params with one thing wrong somewhere: a value replaced, a key added or left out, a list made long. */
export function mutated(params: JsonObject, random: Random): JsonObject {
  const copy = structuredClone(params) as JsonObject;
  const places = placesIn(copy);
  const place = places[Math.floor(random() * places.length)];
  if (place === undefined) return { ...copy, surprise: 1 };
  const { holder, key } = place;
  const hostile = structuredClone(HOSTILE[Math.floor(random() * HOSTILE.length)]) as Json;
  const choice = random();
  if (choice < 0.7) assign(holder, key, hostile);
  else if (choice < 0.8 && !Array.isArray(holder)) delete holder[key];
  else if (choice < 0.9 && Array.isArray(holder)) holder.push(...Array.from({ length: 50 }, () => hostile));
  else if (!Array.isArray(holder)) holder[`surprise ${choice}`] = hostile;
  return copy;
}

/**
 * The params as often as they have places for a value, each time with the value in another one; but for those that
 * have a key to be skipped on the way to them.
 */
export function* withEverywhere(
  params: JsonObject,
  value: Json,
  skip: (key: string) => boolean,
): Generator<JsonObject> {
  const count = placesIn(params).length;
  for (let n = 0; n < count; n++) {
    const copy = structuredClone(params) as JsonObject;
    const { holder, key, path } = placesIn(copy)[n] as Place;
    if (path.some(skip)) continue;
    assign(holder, key, value);
    yield copy;
  }
}

interface Place {
  readonly holder: Json[] | JsonObject;
  readonly key: string;
  /** The keys down to the value, its own included. */
  readonly path: readonly string[];
}

/** Every place of a value, but those of idempotency keys: without them a second call is a second effect. */
function placesIn(value: Json, above: readonly string[] = []): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "idempotency_key") return [];
    const path = [...above, key];
    return [{ holder: value as Json[] | JsonObject, key, path }, ...placesIn(inner, path)];
  });
}

function assign(holder: Json[] | JsonObject, key: string, value: Json): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else holder[key] = value;
}
