import {
  Composer,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  stringify,
} from "yaml";
import type { Json } from "../model/json.ts";

/** Largest YAML text, in bytes. */
export const YAML_BYTES = 1 << 20;
/** Open collections on the parser's stack; some 40 levels of nesting, ten times what a config needs. */
const PARSER_DEPTH = 64;
/** Words and marks of the text. The parser takes about 1.4 µs for each; a config of every key has 1,000. */
const LEXEMES = 60_000;
/** Values after aliases are expanded: an alias bomb stops here. */
const VALUES = 50_000;

const CORE_TAG = /^tag:yaml\.org,2002:(str|int|float|bool|null|map|seq)$/;
/** Every escape of a double-quoted text; group 1 takes part where it is none that YAML knows. */
const ESCAPE =
  /\\(?:[0abefnrtvNLP_ \t\r\n"/\\]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U(?:000[0-9a-fA-F]|0010)[0-9a-fA-F]{4}|())/g;

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The text is no YAML that contextd reads. `position` is where, counted from 1. */
export class YamlError extends Error {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.name = "YamlError";
    this.position = position;
  }
}

export interface YamlDocument {
  /** null for an empty document. */
  readonly value: Json;
  /** Where the key or item at `path` stands; that of the nearest key above it when it stands nowhere. */
  positionOf(path: readonly PropertyKey[]): Position;
}

/**
 * Reads one YAML 1.2 document (core schema) of at most 1 MiB. Refused, each with its place and in bounded
 * time: deep nesting, alias bombs, duplicate keys, tags of one's own, several documents, keys that are no words.
 */
export function readYaml(text: string): YamlDocument {
  const lines = new LineCounter();
  const fail = (message: string, offset: number): never => {
    throw new YamlError(message, place(lines, offset));
  };
  if (Buffer.byteLength(text) > YAML_BYTES) fail(`the text is larger than ${YAML_BYTES} bytes`, 0);

  const documents = [...composer().compose(tokens(text, lines, fail), true, text.length)];
  const [document, second] = documents;
  const problem = document?.errors[0];
  if (problem) fail(withoutSource(problem.message), problem.pos[0]);
  if (second) fail("a second document starts here; a config is one", second.range[0]);

  const reader = new Reader(fail);
  const value = document?.contents ? reader.read(document.contents as Node, []) : null;
  return {
    value,
    positionOf: (path) => {
      for (let length = path.length; length > 0; length--) {
        const offset = reader.offsets.get(pathKey(path.slice(0, length)));
        if (offset !== undefined) return place(lines, offset);
      }
      return { line: 1, column: 1 };
    },
  };
}

/** The value as YAML text in block style. */
export function writeYaml(value: Json): string {
  return stringify(value, { lineWidth: 110, aliasDuplicateObjects: false });
}

const composer = () =>
  new Composer({ version: "1.2", schema: "core", merge: false, uniqueKeys: false, logLevel: "silent" });

/** The parser without recursion, so that depth and length are bounded before anything recursive sees the tokens. */
function tokens(text: string, lines: LineCounter, fail: (message: string, offset: number) => never) {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const found: CST.Token[] = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('"'))
      refuseBadEscapes(lexeme, (index) => fail("no such escape sequence", parser.offset + index));
    for (const token of parser.next(lexeme)) found.push(token);
    if (++lexemes > LEXEMES) fail(`the text has more than ${LEXEMES} words and marks`, parser.offset);
    if (parser.stack.length > PARSER_DEPTH) fail("the text is nested too deeply", parser.offset);
  }
  for (const token of parser.end()) found.push(token);
  return found;
}

/** The parser makes an error object of each bad escape: a megabyte of them takes seconds, so the first one ends it. */
function refuseBadEscapes(quoted: string, fail: (index: number) => never): void {
  for (const found of quoted.matchAll(ESCAPE)) {
    if (found[1] !== undefined) fail(found.index);
  }
}

/** Turns the parsed nodes into JSON, and remembers where each path stands. */
class Reader {
  readonly offsets = new Map<string, number>();
  readonly #anchors = new Map<string, Node>();
  readonly #fail: (message: string, offset: number) => never;
  #values = 0;

  constructor(fail: (message: string, offset: number) => never) {
    this.#fail = fail;
  }

  read(node: Node, path: readonly string[]): Json {
    const offset = node.range?.[0] ?? 0;
    if (++this.#values > VALUES) this.#fail("the aliases expand to too many values", offset);
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (!target) return this.#fail(`no anchor &${node.source} is complete before this alias`, offset);
      return this.read(target, path);
    }
    if (node.tag !== undefined && !CORE_TAG.test(node.tag)) this.#fail("tags are not allowed here", offset);
    const value = this.#readContent(node, path, offset);
    if ("anchor" in node && typeof node.anchor === "string") this.#anchors.set(node.anchor, node);
    return value;
  }

  #readContent(node: Node, path: readonly string[], offset: number): Json {
    if (isScalar(node)) {
      const { value } = node;
      if (value === null || typeof value === "string" || typeof value === "boolean") return value;
      if (typeof value === "number") return value;
      return this.#fail("this is no text, number, boolean or null", offset);
    }
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        const itemPath = [...path, String(index)];
        this.offsets.set(pathKey(itemPath), (item as Node).range?.[0] ?? offset);
        return this.read(item as Node, itemPath);
      });
    }
    if (!isMap(node)) return this.#fail("this is no text, number, list or mapping", offset);
    const members = new Map<string, Json>();
    for (const pair of node.items) {
      const key = this.#readKey(pair.key as Node | null, offset);
      const at = (pair.key as Node).range?.[0] ?? offset;
      const memberPath = [...path, key];
      if (members.has(key)) this.#fail(`the key "${key}" stands here a second time`, at);
      if (!this.offsets.has(pathKey(memberPath))) this.offsets.set(pathKey(memberPath), at);
      members.set(key, pair.value === null ? null : this.read(pair.value as Node, memberPath));
    }
    return Object.fromEntries(members);
  }

  /** A number as a key keeps its text: `0.90` is not `0.9`. */
  #readKey(node: Node | null, offset: number): string {
    if (!isScalar(node)) return this.#fail("a key must be a word", node?.range?.[0] ?? offset);
    const key = typeof node.value === "string" ? node.value : (node.source ?? "");
    const at = node.range?.[0] ?? offset;
    if (key === "" || key.length > 200) this.#fail("a key must have 1 to 200 characters", at);
    if (key === "__proto__" || key === "<<") this.#fail(`"${key}" is no legal key`, at);
    return key;
  }
}

function pathKey(path: readonly PropertyKey[]): string {
  return path.map(String).join("\0");
}

function place(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The parser quotes the text it stumbled over; that may be a secret. */
function withoutSource(message: string): string {
  return message.replace(/:? ["\n][\s\S]*$/, "");
}
