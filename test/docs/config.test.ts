import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { OTHER_VARIABLES } from "../../src/config/environment-layer.ts";
import { loadConfig, loadPlugins, readYaml, renderKeyTables, renderReference } from "../../src/config/index.ts";
import { describeKeys } from "../../src/config/reference.ts";
import { configWith, schemas } from "../config/config-with.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const textOf = (path: string) => readFileSync(fileOf(path), "utf8");
const page = textOf("docs/config.md");

/** Said by each test that compares with the schema. */
const STALE = "stale: npm run build && node scripts/generate-config-docs.mjs";

describe("config/contextd.yaml", () => {
  const reference = textOf("config/contextd.yaml");

  test("is what the schema says", () => {
    expect(reference, STALE).toBe(renderReference(schemas.json));
  });

  test("loads to exactly the defaults", () => {
    const config = loadConfig({ file: fileOf("config/contextd.yaml"), environment: {}, flags: [] }, schemas);
    expect(config).toEqual(configWith());
  });

  test("sets every key that has a default, to that default", () => {
    const value = readYaml(reference).value;
    for (const { path, fallback } of describeKeys(schemas.json)) {
      if (fallback !== undefined) expect(value).toHaveProperty(path.split("."), fallback);
    }
  });

  test("names every key, and says something of each that people set", () => {
    for (const { path, meaning } of describeKeys(schemas.json)) {
      expect(reference).toMatch(new RegExp(`^[ #]*${path.split(".").at(-1)}:`, "m"));
      if (!path.endsWith("<name>")) expect(meaning, path).toMatch(/\.$/);
    }
  });
});

test("config/contextd.schema.json is what the schema says", () => {
  expect(JSON.parse(textOf("config/contextd.schema.json")), STALE).toEqual(schemas.json);
});

describe("docs/config.md", () => {
  test("has the tables that the schema says", () => {
    const tables = page.slice(page.indexOf("<!-- generated: keys -->\n"), page.indexOf("<!-- end of keys -->"));
    expect(tables, STALE).toBe(`<!-- generated: keys -->\n\n${renderKeyTables(schemas.json)}\n`);
  });

  test("has every built-in profile, and no other", () => {
    const section = page.slice(page.indexOf("## Profiles"), page.indexOf("## Plug-ins"));
    const documented = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
    const shipped = readdirSync(fileOf("config/profiles")).map((file) => file.replace(/\.yaml$/, ""));
    expect(documented.sort()).toEqual(shipped.sort());
  });

  test("names the variables that are no settings", () => {
    for (const variable of Object.keys(OTHER_VARIABLES)) expect(page).toContain(`\`${variable}\``);
  });

  test("has examples of the environment that mean what it says", () => {
    const section = page.slice(page.indexOf("## Environment"), page.indexOf("## Limits"));
    const rows = [...section.matchAll(/^\| `(CONTEXTD_\w+)=([^`]+)` \| `([^`]+)`/gm)];
    expect(rows.length).toBeGreaterThan(4);
    using folder = temporaryFolder();
    const secret = folder.write("secret", "postgres://host/db\n");
    for (const [, variable, text, key] of rows) {
      const value = variable!.endsWith("_FILE") ? secret : text!.replace(/^'|'$/g, "");
      const config = loadConfig({ file: null, environment: { [variable!]: value }, flags: [] }, schemas);
      const changed = key!.split(".").reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], config);
      const before = key!
        .split(".")
        .reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], configWith());
      expect(changed, variable).not.toEqual(before);
    }
  });

  test("has a config example that loads", () => {
    const [, yaml] = page.match(/```yaml\n# contextd.yaml\n([\s\S]*?)```/) ?? [];
    using folder = temporaryFolder();
    const file = folder.write("contextd.yaml", yaml!);
    expect(loadConfig({ file, environment: {}, flags: [] }, schemas)).toMatchObject({
      server: { port: 8080 },
      eviction: { policy: "lru" },
    });
  });

  test("has a plug-in example that loads and scores", async () => {
    const [, source] = page.match(/```js\n([\s\S]*?)```/) ?? [];
    using folder = temporaryFolder();
    const zod = import.meta.resolve("zod");
    const plugins = await loadPlugins([folder.write("keep-errors.mjs", source!.replace('"zod"', JSON.stringify(zod)))]);
    const scorer = plugins.scorers["keep_errors"]?.configure({ word: "FAILED" }) as {
      score(block: object, view: object): { score: number };
    };
    expect(scorer.score({}, { text: () => "1 FAILED" }).score).toBe(1);
    expect(scorer.score({}, { text: () => "all well" }).score).toBe(0);
  });
});
