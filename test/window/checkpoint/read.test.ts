import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import {
  type CheckpointDocument,
  checksumOf,
  malformedSentence,
  readCheckpoint,
  taskHash,
} from "../../../src/window/checkpoint/index.ts";
import { withEverywhere } from "../../support/hostile-values.ts";
import { documentOf, STATED, wireOf } from "./document-of.ts";

const wire = (fields: object = {}) => ({ ...wireOf(documentOf()), ...fields });
/** With the checksum that belongs to what it says. */
const sealed = (fields: object) => ({ ...fields, checksum: checksumOf(fields) });
const malformed = (json: unknown) =>
  (readCheckpoint(json) as { malformed: { path: string; expected: string } }).malformed;

describe("a checkpoint that is read", () => {
  it.each<[string, object, string, RegExp]>([
    ["of another format", { format: "contextd.checkpoint/2" }, "format", /"contextd.checkpoint\/1"/],
    [
      "with a status that there is not",
      { subtasks: [{ id: "t", title: "t", status: "finished" }] },
      "subtasks[0].status",
      /"planned" or "in_progress" or "done" or "blocked"/,
    ],
    ["with a number for a text", { next_step: 5 }, "next_step", /text/],
    ["with a window that is no number", { window_number: "3" }, "window_number", /a number/],
    ["with a window of a half", { window_number: 1.5 }, "window_number", /a whole number/],
    ["with a negative version", { state_version: -1 }, "state_version", /at least 0/],
    ["with an id that is none of a checkpoint", { checkpoint_id: "../x" }, "checkpoint_id", /\^c\[1-9\]/],
    ["with a time that there was not", { saved_at: "2026-02-30T00:00:00Z" }, "saved_at", /a time as/],
    ["with a hash that is none", { task_hash: "ABC" }, "task_hash", /\[0-9a-f\]/],
    ["with a list for an object", { environment: [] }, "environment", /an object/],
    ["with an object for a list", { learnings: {} }, "learnings", /a list/],
    [
      "with too many subtasks",
      { subtasks: Array(201).fill({ id: "t", title: "t", status: "done" }) },
      "subtasks",
      /at most 200 items/,
    ],
    ["with a text of ten megabytes", { next_step: "x".repeat(10 << 20) }, "document", /at most \d+ bytes/],
    [
      "with a text above its bound",
      { learnings: ["a", "x".repeat(40_001)] },
      "learnings[1]",
      /at most 40000 characters/,
    ],
    ["with a key too many", { my_own_secret_key: 1 }, "document", /\(1 too many\)/],
    [
      "with a key too many within",
      { task: { goal: "x", success_criteria: [], constraints: [], hm: 1 } },
      "task",
      /\(1 too many\)/,
    ],
    [
      "with a prototype of its own",
      JSON.parse('{"__proto__":{"goal":"x"}}') as object,
      "document",
      /keys of the format|format/,
    ],
    ["with a long key in its environment", { environment: { ["k".repeat(600)]: 1 } }, "environment", /shorter keys/],
  ])("is refused %s, by path and what was expected", (_, fields, path, expected) => {
    const json = JSON.parse(JSON.stringify(wire())) as JsonObject;
    for (const [key, value] of Object.entries(fields)) {
      Object.defineProperty(json, key, { value, enumerable: true, configurable: true, writable: true });
    }
    expect(malformed(sealed(json))).toEqual({ path, expected: expect.stringMatching(expected) });
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "checkpoint"],
    ["a list", []],
    ["an empty object", {}],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["a function", () => 1],
    ["a document with a function", { ...wire(), environment: { f: () => 1 } }],
    ["a document with a number that JSON has not", { ...wire(), environment: { n: Number.NaN } }],
    ["a document with a date", { ...wire(), environment: { d: new Date(0) } }],
  ])("is none: %s", (_, json) => {
    expect(malformed(json)).toBeDefined();
  });

  it("is refused where it is nested so deep that walking it would break", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as Json;
    expect(malformed(wire({ environment: { deep } }))).toEqual({
      path: "document",
      expected: "JSON nested at most 1000 deep",
    });
  });

  it("is refused in bounded time where it is two million wrong things", () => {
    const many = Array(2_000_000).fill(0) as Json;
    for (const field of ["learnings", "decisions", "subtasks", "notes"]) {
      expect(malformed(wire({ [field]: many }))).toMatchObject({ path: `${field}[0]` });
    }
    const decisions = Array(16_000).fill({ decision: "", rationale: "", alternatives: Array(90).fill(0) }) as Json;
    expect(malformed(wire({ decisions }))).toMatchObject({ path: "decisions[0].alternatives[0]" });
    const one = [{ decision: "", rationale: "", alternatives: many }];
    expect(malformed(wire({ decisions: one }))).toMatchObject({ path: "decisions[0].alternatives" });
    const late = [...Array(120_000).fill("x"), 0] as Json;
    expect(malformed(wire({ learnings: late }))).toMatchObject({ path: "learnings[120000]" });
    expect(malformed(wire({ learnings: Array(130_000).fill("x") }))).toMatchObject({ path: "learnings" });
    expect(
      malformed(wire({ environment: Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [n, n])) })),
    ).toMatchObject({ path: "checksum" });
  });

  it("is refused without a word of what it holds", () => {
    const canary = "canary_7f3a";
    const texts = (malformation: { path: string; expected: string }) =>
      `${JSON.stringify(malformation)} ${malformedSentence(malformation)}`;
    let refused = 0;
    for (const json of withEverywhere(wire() as JsonObject, canary, () => false)) {
      const found = malformed(json);
      expect(texts(found)).not.toContain(canary);
      refused++;
    }
    expect(refused).toBeGreaterThan(60);
    for (const key of ["", "__proto__", "constructor"]) {
      const odd = wire({ [`${canary}${key}`]: canary, environment: { [canary.repeat(60)]: canary } });
      expect(texts(malformed(odd))).not.toContain(canary);
    }
  });

  it("is refused with every wrong type in every place", () => {
    for (const value of [null, true, -1, "", "x", [], {}, [[]], JSON.parse('{"__proto__":1}') as Json] as Json[]) {
      for (const json of withEverywhere(wire() as JsonObject, value, () => false)) {
        if (JSON.stringify(json) !== JSON.stringify(wire())) expect(malformed(json)).toBeDefined();
      }
    }
  });

  it("is a copy that does not follow what came", () => {
    const json = wire() as { environment: JsonObject };
    const { document } = readCheckpoint(json) as { document: CheckpointDocument };
    json.environment["cwd"] = "elsewhere";
    expect(document.environment["cwd"]).toBe("/home/me/parser");
  });

  it("has a checksum that the order of keys does not change, and that is none of the checksum itself", () => {
    const reversed = Object.fromEntries(Object.entries(wire()).reverse());
    expect(checksumOf(reversed)).toBe(checksumOf(wire()));
    expect(checksumOf({ ...wire(), checksum: "other" })).toBe(wire()["checksum"]);
    expect(readCheckpoint(reversed)).toHaveProperty("document");
  });

  it("fails with one character changed in any field", () => {
    const text = JSON.stringify(wire());
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(..."0aZ 1}\u00e9"), (at, character) => {
        fc.pre(text[at] !== character);
        let json: unknown;
        try {
          json = JSON.parse(text.slice(0, at) + character + text.slice(at + 1));
        } catch {
          return;
        }
        // Within a number as `57.0` or `1e0` nothing is changed.
        fc.pre(JSON.stringify(json) !== text);
        expect(readCheckpoint(json)).toHaveProperty("malformed");
      }),
      { numRuns: 3000 },
    );
  });

  it("fails with any leaf of it changed to another value of its kind", () => {
    const paths = leavesOf(wire() as JsonObject);
    expect(paths.length).toBeGreaterThan(60);
    for (const path of paths) {
      const json = structuredClone(wire()) as JsonObject;
      changeAt(json, path);
      expect(malformed(json), path.join(".")).toBeDefined();
    }
  });
});

describe("the hash of a task", () => {
  it("is of its words alone: of none null, of others another", () => {
    expect(taskHash(null)).toBeNull();
    expect(taskHash(STATED)).toMatch(/^[0-9a-f]{64}$/);
    const { goal, ...others } = STATED;
    const wider = { ...others, more: 1, goal };
    expect(taskHash(wider)).toBe(taskHash(STATED));
    for (const other of [
      { ...STATED, goal: "" },
      { ...STATED, success_criteria: [] },
      { ...STATED, success_criteria: STATED.constraints, constraints: STATED.success_criteria },
    ]) {
      expect(taskHash(other)).not.toBe(taskHash(STATED));
    }
    expect(documentOf().task_hash).toBe(taskHash(STATED));
  });
});

function leavesOf(value: Json, above: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [[...above]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner as Json, [...above, key]));
}

function changeAt(json: JsonObject, path: readonly string[]): void {
  const holder = path.slice(0, -1).reduce<JsonObject>((node, key) => node[key] as JsonObject, json);
  const last = path.at(-1) as string;
  const value = holder[last];
  holder[last] = typeof value === "number" ? value + 1 : typeof value === "string" ? flipped(value) : "x";
}

function flipped(text: string): string {
  const last = text.at(-1) ?? "";
  return `${text.slice(0, -1)}${last === "1" ? "2" : "1"}`;
}
