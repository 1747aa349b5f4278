import type { Json } from "../model/json.ts";
import { type JsonSchema, legalValues, SETTINGS_BY_NAME } from "./json-schema.ts";
import { writeYaml } from "./yaml.ts";

/** A key of the config as its documentation tells it. */
export interface KeyDescription {
  /** Dotted; `<name>` stands for a name of the user's own. */
  readonly path: string;
  readonly legal: string;
  /** Absent for keys that have none: sections, and keys of an alternative that is not the default. */
  readonly fallback: Json | undefined;
  /** Its default once the alternative that it belongs to is chosen. */
  readonly usual: Json | undefined;
  readonly meaning: string;
  readonly secret: boolean;
  /** A change of it, or of anything in it, takes effect at the next start only. */
  readonly restart: boolean;
}

/** Every key, in the order of the schema; a section stands before its keys. */
export function describeKeys(schema: JsonSchema, above: readonly string[] = [], apart = false): KeyDescription[] {
  const alternative = apart || schema.properties === undefined;
  return members(schema).flatMap(([key, node]) => {
    const path = [...above, key];
    const described: KeyDescription = {
      path: path.join("."),
      legal: legalValues(node),
      fallback: alternative ? undefined : node.default,
      usual: node.default,
      meaning: node.description ?? "",
      secret: node.writeOnly === true,
      restart: node["x-restart"] === true,
    };
    return [described, ...(holdsSettings(path) ? [] : describeKeys(node, path, alternative))];
  });
}

/** What may stand there is described once, with the keys of a session. */
function holdsSettings(path: readonly string[]): boolean {
  return SETTINGS_BY_NAME.some((each) => each.join(".") === path.join("."));
}

/** The keys that may stand in a mapping; `<name>` for a mapping whose keys are the user's. */
function members(schema: JsonSchema): [string, JsonSchema][] {
  const branch = [schema, ...(schema.anyOf ?? [])].find((candidate) => candidate.properties);
  if (branch?.properties) return Object.entries(branch.properties);
  const entry = schema.additionalProperties;
  return typeof entry === "object" && members(entry).length > 0 ? [["<name>", entry]] : [];
}

const REFERENCE_HEAD = `# yaml-language-server: $schema=./contextd.schema.json
#
# Every key of contextd with its default. This file is generated from the schema and changes nothing: a config
# needs only the keys that differ. Unknown keys are errors. See docs/config.md.
`;

/** The reference config: each key, its default and its meaning; what has no default stands in a comment. */
export function renderReference(schema: JsonSchema): string {
  return `${REFERENCE_HEAD}\n${section(schema, []).join("\n")}\n`;
}

function section(schema: JsonSchema, above: readonly string[]): string[] {
  const depth = above.length;
  const lines: string[] = [];
  for (const [key, node] of members(schema)) {
    const path = [...above, key];
    if (depth === 0 && lines.length > 0) lines.push("");
    if (node.properties) {
      lines.push(...comment(node.description ?? "", depth), `${indent(depth)}${yamlKey(key)}:`, ...section(node, path));
      continue;
    }
    lines.push(...comment(node.description ?? "", depth));
    lines.push(
      ...`${yamlKey(key)}:${inlineDefault(node.default ?? null)}`.split("\n").map((line) => indent(depth) + line),
    );
    if (!holdsSettings(path) && members(node).length > 0) lines.push(...alternative(key, node, depth));
  }
  return lines;
}

/** The other form of a key that is not a mapping by default, commented out, with an example or default of each value. */
function alternative(key: string, node: JsonSchema, depth: number): string[] {
  const body = (schema: JsonSchema, level: number): string[] =>
    members(schema).flatMap(([name, member]) => {
      const head = `${"  ".repeat(level)}${name}:`;
      const nestedMembers = members(member);
      if (nestedMembers.length > 0)
        return [`${head}  # ${member.description ?? "a name of your own"}`, ...body(member, level + 1)];
      return [
        `${head} ${JSON.stringify(member.examples?.[0] ?? member.default ?? null)}  # ${member.description ?? ""}`,
      ];
    });
  return [`${key}:`, ...body(node, 1)].map((line) => `${indent(depth)}# ${line}`);
}

function inlineDefault(value: Json): string {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    return `\n${writeYaml(value).trimEnd().replace(/^/gm, "  ")}`;
  }
  return ` ${writeYaml(value).trimEnd()}`;
}

function yamlKey(key: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(key) ? key : JSON.stringify(key);
}

function comment(text: string, depth: number): string[] {
  const width = 110 - indent(depth).length;
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.map((line) => `${indent(depth)}# ${line}`);
}

function indent(depth: number): string {
  return "  ".repeat(depth);
}

/** The tables of docs/config.md: one for each section. */
export function renderKeyTables(schema: JsonSchema): string {
  const tables: string[] = [];
  const single = describeKeys({ ...schema, properties: keysWhere(schema, (node) => !node.properties) });
  tables.push("### Top level\n", ...table(single));
  for (const [key, node] of Object.entries(keysWhere(schema, (candidate) => candidate.properties !== undefined))) {
    const note = node["x-restart"] === true ? " Changes take effect at the next start." : "";
    tables.push(`\n### ${key}\n`, `${node.description ?? ""}${note}\n`, ...table(describeKeys(node, [key])));
  }
  return `${tables.join("\n")}\n`;
}

function keysWhere(schema: JsonSchema, holds: (node: JsonSchema) => boolean): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([, node]) => holds(node)));
}

function table(keys: readonly KeyDescription[]): string[] {
  const rows = keys.map(({ path, legal, usual, meaning, secret, restart }) => {
    const value = usual === undefined ? "" : `\`${JSON.stringify(usual)}\``;
    const notes = [meaning, secret ? "Secret." : "", restart ? "Takes effect at the next start." : ""];
    return `| \`${path}\` | ${cell(legal)} | ${cell(value)} | ${cell(notes.filter(Boolean).join(" "))} |`;
  });
  return ["| key | legal values | default | meaning |", "|---|---|---|---|", ...rows];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
