import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ATTRIBUTES } from "../../src/telemetry/otlp/attribute-names.ts";

it("docs/tracing.md names every attribute of a span, and no other", () => {
  const text = readFileSync(new URL("../../docs/tracing.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^\| `([\w.]+)` \| (?:call|compaction|both) \|/gm)].map(([, name]) => name);
  const ofSpans = Object.values(ATTRIBUTES).filter((name) => !name.startsWith("service."));
  expect(rows.sort()).toEqual([...ofSpans].sort());
});
