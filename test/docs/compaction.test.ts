import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compressionMethods, EVICTION } from "../../src/compression/index.ts";
import { loadConfig } from "../../src/config/index.ts";
import { schemas } from "../config/config-with.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/compaction.md"), "utf8");
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);
/** Rows of the table of steps: name, and the options told of it. */
const rows = new Map(
  [...page.matchAll(/^\| `(\w+)` \| .* \| (.*) \|$/gm)].map(([, name = "", told = ""]) => [name, told]),
);

describe("docs/compaction.md", () => {
  it("has examples of the cascade and of four backends", () => {
    expect(examples).toHaveLength(5);
  });

  it.each(examples.map((yaml) => [yaml.split("\n").slice(0, 3).join(" "), yaml]))(
    "%s … is a config that loads",
    (_, yaml) => {
      using folder = temporaryFolder();
      folder.write("openai.key", "sk-none\n");
      const { llm, compression } = loadConfig(
        { file: folder.write("contextd.yaml", yaml), environment: {}, flags: [] },
        schemas,
      );
      expect(llm.summarizer !== null || Object.keys(compression.cascade).length === 3).toBe(true);
    },
  );

  it("tells of every step that a cascade may name, with each of its options", () => {
    expect([...rows.keys()].sort()).toEqual([EVICTION, ...Object.keys(compressionMethods)].sort());
    for (const [name, { options }] of Object.entries(compressionMethods)) {
      const known = options instanceof z.ZodObject ? Object.keys(options.shape) : [];
      for (const option of known) expect(rows.get(name), name).toContain(`\`${option}\``);
    }
  });
});
