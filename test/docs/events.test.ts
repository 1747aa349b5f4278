import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { EventData, EventType } from "../../src/model/events.ts";
import { EVENT_MEANINGS } from "../../src/telemetry/event-stream/meanings.ts";
import { publicData } from "../../src/telemetry/event-stream/public-data.ts";
import { eventKeys } from "../support/event-keys.ts";

interface DocumentedEvent {
  readonly sentence: string;
  /** Keys with what the document marks them as. */
  readonly keys: Map<string, "journal only" | "stream only" | "both">;
}

function documentedEvents(): Map<string, DocumentedEvent> {
  const text = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8");
  const sections = (text.split("\n## The events\n")[1] ?? "").split("\n### ").slice(1);
  return new Map(
    sections.map((section) => {
      const [name, , sentence] = section.split("\n");
      const rows = [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
      const keys = rows.map(([, key, what]): [string, "journal only" | "stream only" | "both"] => {
        const mark = /\*\((journal only|stream only)\)\*$/.exec(what as string)?.[1];
        return [key as string, (mark as "journal only" | "stream only" | undefined) ?? "both"];
      });
      return [name as string, { sentence: sentence as string, keys: new Map(keys) }];
    }),
  );
}

const documented = documentedEvents();
const declared = eventKeys();

describe("docs/events.md", () => {
  it("names every event there is, and no other", () => {
    expect([...documented.keys()].sort()).toEqual([...declared.keys()].sort());
  });

  it("says of each event what the daemon says of it", () => {
    const sentences = Object.fromEntries([...documented].map(([name, { sentence }]) => [name, sentence]));
    expect(sentences).toEqual(EVENT_MEANINGS);
  });

  it.each([...declared])("names the keys of %s, and no other", (name, keys) => {
    const rows = [...(documented.get(name)?.keys ?? [])];
    const inJournal = rows.filter(([, mark]) => mark !== "stream only").map(([key]) => key);
    expect(inJournal.sort()).toEqual([...keys.keys()].sort());
  });

  it.each([...declared])("says which keys of %s are on the stream", (name, keys) => {
    const data = Object.fromEntries([...keys.keys()].map((key) => [key, null]));
    const sent = publicData(name as EventType, data as unknown as EventData[EventType]);
    const rows = [...(documented.get(name)?.keys ?? [])];
    const onStream = rows.filter(([, mark]) => mark !== "journal only").map(([key]) => key);
    expect(onStream.sort()).toEqual(Object.keys(sent as object).sort());
  });
});
