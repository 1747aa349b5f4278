import { expect, test } from "vitest";
import { builtIn } from "../../src/built-in.ts";
import { ConfigError, loadPlugins } from "../../src/config/index.ts";
import { scorers } from "../../src/eviction/index.ts";
import { openConfig } from "../../src/open-config.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const STRATEGY = `{ summary: "s", options: { safeParse: (v) => ({ success: true, data: v }) }, configure: () => ({ name: "mine" }) }`;

test("a plug-in's scorer becomes a legal policy; its path is relative to the config file", async () => {
  using folder = temporaryFolder();
  folder.write("mine.mjs", `export const scorers = { mine: ${STRATEGY} };`);
  const file = folder.write("c.yaml", "plugins: [./mine.mjs]\neviction: {policy: mine}\n");
  const { config, plugins } = await openConfig({ file, environment: {}, flags: [] }, builtIn);
  expect(config.eviction.policy).toBe("mine");
  expect(plugins.scorers["mine"]?.configure({})).toEqual({ name: "mine" });
});

test("a plug-in's compression method becomes a legal step of the cascade", async () => {
  using folder = temporaryFolder();
  folder.write("m.mjs", `export const compression_methods = { shout: ${STRATEGY} };`);
  const file = folder.write("c.yaml", "plugins: [m.mjs]\ncompression: {cascade: {'0.5': shout}}\n");
  const { config } = await openConfig({ file, environment: {}, flags: [] }, builtIn);
  expect(config.compression.cascade).toEqual({ "0.5": "shout" });
});

test.each([
  ["is missing", null, /does not exist/],
  ["throws", "throw new Error('no such luck')", /failed while it was loaded \(Error: no such luck\)/],
  ["is no JavaScript", "export const = 1", /failed while it was loaded \(\w*Error/],
  ["imports what is missing", "import './none.mjs'", /an import of which, does not exist/],
  [
    "has a misspelt export",
    `export const scorer = { mine: ${STRATEGY} }`,
    /"scorer" is an unknown key; did you mean "scorers"/,
  ],
  ["exports a list", "export const scorers = []", /"scorers" is no record/],
  [
    "exports something that is no strategy",
    "export const scorers = { mine: { score() {} } }",
    /scorers.mine is no strategy/,
  ],
  ["has an illegal name", `export const scorers = { "My Own": ${STRATEGY} }`, /"My Own"; a name is lower case/],
  ["takes a built-in name", `export const scorers = { lru: ${STRATEGY} }`, /scorers.lru has a name that is taken/],
])("a module that %s is refused and named", async (_, source, message) => {
  using folder = temporaryFolder();
  const file = source === null ? `${folder.path}/p.mjs` : folder.write("p.mjs", source);
  const error: unknown = await loadPlugins([file], { scorers: Object.keys(scorers) }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).toContain(file);
});

test("two plug-ins cannot have one name", async () => {
  using folder = temporaryFolder();
  const files = ["a.mjs", "b.mjs"].map((name) => folder.write(name, `export const scorers = { mine: ${STRATEGY} };`));
  await expect(loadPlugins(files)).rejects.toThrow(/b.mjs.*taken/);
});
