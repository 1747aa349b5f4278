import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { documentedMethods } from "../../src/rpc/methods/index.ts";
import { EVENT_MEANINGS } from "../../src/telemetry/event-stream/meanings.ts";
import { installed, run } from "../support/debian-programs.ts";
import { alertNames, CONFIG, daemonAlerts, namesIn, RUNBOOKS, recordingRules } from "../support/shipped-rules.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bench } from "../telemetry/metrics/fixture.ts";

const SECTIONS = ["Meaning", "Impact", "How to confirm", "How to fix", "How to silence"];
const { metrics } = bench();
afterAll(() => metrics.close());
const served = [...metrics.describe().map(({ name }) => name)];
const recorded = recordingRules.map(({ record }) => record);

const methods = new Map(documentedMethods().map((method) => [method.name, method]));
const config = parse(readFileSync(join(CONFIG, "contextd.yaml"), "utf8")) as Record<string, unknown>;
const cli = resolve(import.meta.dirname, "../../src/cli");
/** Options of each command, as it is declared. */
const commands = new Map(
  readdirSync(cli).flatMap((file) => {
    const source = readFileSync(join(cli, file), "utf8");
    const name = /new Command\("([\w-]+)"\)/.exec(source)?.[1];
    return name === undefined ? [] : [[name, [...source.matchAll(/"(--[\w-]+)/g)].map((match) => match[1] as string)]];
  }) as [string, string[]][],
);

const pages = readdirSync(RUNBOOKS).filter((file) => file !== "README.md");
const textOf = (file: string) => readFileSync(join(RUNBOOKS, file), "utf8");

/** A key of the config, by its path; `models` takes names of one's own. */
function isKey(path: string): boolean {
  let at: unknown = config;
  for (const step of path.split(".")) {
    if (step === step.toUpperCase()) return true;
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  return true;
}

describe("docs/runbooks", () => {
  it("has a page for each alert, and none besides", () => {
    const alerts = new Set([...alertNames, ...daemonAlerts.keys()]);
    expect(pages.map((file) => file.replace(".md", "")).sort()).toEqual([...alerts].sort());
  });

  it("lists them all in its index", () => {
    const listed = [...textOf("README.md").matchAll(/^\| \[(\w+)\]\((\w+\.md)\) \|/gm)].map((match) => match[2]);
    expect(listed.sort()).toEqual([...pages].sort());
  });
});

describe.each([...pages, "README.md"])("docs/runbooks/%s", (file) => {
  const text = textOf(file);

  it("has its sections, none of them empty", () => {
    if (file === "README.md") return;
    expect(text.startsWith(`# ${file.replace(".md", "")}\n`)).toBe(true);
    const sections = text.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split("\n")[0])).toEqual(SECTIONS);
    for (const section of sections) expect(section.split("\n").slice(1).join("").length).toBeGreaterThan(40);
    expect(sections.at(-1)).toContain(`alertname=${file.replace(".md", "")} `);
  });

  it("makes calls that the daemon answers, with parameters that it takes", () => {
    for (const [, body] of text.matchAll(/-d '(\{.*\})'/g)) {
      const { method, params } = JSON.parse(body as string) as { method: string; params: object };
      const known = methods.get(method);
      expect(known, method).toBeDefined();
      const parsed = known?.params.safeParse(params);
      expect(parsed?.error?.issues ?? [], method).toEqual([]);
    }
    // Spoken of in the text.
    const families = new Set([...methods.keys()].map((name) => name.split(".")[0]));
    for (const [, name] of text.matchAll(/`([a-z]+\.[a-z]+)`/g)) {
      const [family] = (name as string).split(".");
      if (!families.has(family) || (name as string) in EVENT_MEANINGS || isKey(name as string)) continue;
      expect([...methods.keys()]).toContain(name);
    }
  });

  it("names commands, options and events that there are", () => {
    for (const [, name, rest] of text.matchAll(/(?:^|`)contextd ([a-z][\w-]*)([^`\n]*)/gm)) {
      expect([...commands.keys()], name).toContain(name);
      for (const [option] of (rest as string).matchAll(/--[\w-]+/g))
        expect(commands.get(name as string)).toContain(option);
    }
    const types = Object.keys(EVENT_MEANINGS);
    for (const [, list] of text.matchAll(/--types (\S+?)`?$/gm)) {
      for (const type of (list as string).replace("`", "").split(",")) {
        const family = type.endsWith(".*") ? type.slice(0, -1) : null;
        expect(
          types.some((known) => known === type || (family !== null && known.startsWith(family))),
          type,
        ).toBe(true);
      }
    }
  });

  it("names metrics that are served or recorded, and keys that the config has", () => {
    const names = namesIn(text);
    expect(names.metrics.filter((name) => !served.includes(name) && name !== "contextd_metrics_token")).toEqual([]);
    expect(names.recorded.filter((name) => !recorded.includes(name))).toEqual([]);
    for (const [, path] of text.matchAll(/`([a-z_]+\.[\w.]+?)(?:: \w+)?`/g)) {
      const [section] = (path as string).split(".");
      if (section === undefined || !Object.hasOwn(config, section) || (path as string) in EVENT_MEANINGS) continue;
      expect(isKey(path as string), path).toBe(true);
    }
  });

  it("asks Prometheus what it can read", () => {
    const queries = [...text.matchAll(/```promql\n([\s\S]*?)```/g)].flatMap((match) =>
      (match[1] as string).trim().split("\n"),
    );
    if (queries.length === 0 || !installed("promtool")) return;
    using folder = temporaryFolder();
    const rules = queries.map((expr, index) => ({ record: `runbook:query:${index}`, expr }));
    writeFileSync(join(folder.path, "queries.yml"), JSON.stringify({ groups: [{ name: "queries", rules }] }));
    const { output } = run("promtool", ["check", "rules", "queries.yml"], folder.path);
    expect(output).toContain(`${queries.length} rules found`);
  });

  it("links to what is there", () => {
    for (const [, target] of text.matchAll(/\]\(([^)#]+)(?:#[\w-]+)?\)/g)) {
      expect(existsSync(join(RUNBOOKS, target as string)), target).toBe(true);
    }
  });
});
