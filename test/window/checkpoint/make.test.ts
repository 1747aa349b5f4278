import { describe, expect, it } from "vitest";
import { maskSecrets } from "../../../src/compression/summary/secrets.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import {
  bytesOf,
  type CheckpointDocument,
  makeCheckpoint,
  readCheckpoint,
} from "../../../src/window/checkpoint/index.ts";
import { asIs, documentOf, FIELDS, STATED, wireOf } from "./document-of.ts";

const MOST_BYTES = (4 << 20) - (64 << 10);
const accepted = (document: CheckpointDocument) => readCheckpoint(wireOf(document));

describe("a checkpoint that is made", () => {
  it("is accepted as it stands, after it travelled as JSON", () => {
    const document = documentOf();
    expect(accepted(document)).toEqual({ document });
    expect(accepted(documentOf({ next_step: null, summary: null, ledger: null, ttl_seconds: null }))).toHaveProperty(
      "document",
    );
  });

  it("has every subtask with the status that the agent gave it", () => {
    expect(documentOf().subtasks.map(({ status }) => status)).toEqual(["done", "in_progress", "planned", "blocked"]);
  });

  it("has no more than the format's fields, whatever the session's own objects hold", () => {
    const wide = {
      ...FIELDS,
      surprise: 1,
      notes: FIELDS.notes.map((note) => ({ ...note, tokens: 4, turn: 2 })),
      delegations: FIELDS.delegations.map((delegation) => ({ ...delegation, handle: "h-1" })),
      context: { ...FIELDS.context, zone: "red" },
      task: { ...FIELDS.task, version: 9 },
    };
    const document = makeCheckpoint(wide, { mask: asIs, statedTask: STATED });
    expect(document).toEqual(documentOf());
  });

  it("holds no secret in any text, and every id, hash and version as it was", () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const masked: string[] = [];
    const mask = (text: string) => {
      masked.push(text);
      return text.replaceAll(secret, "[masked]");
    };
    const texts = `before ${secret} after`;
    const document = makeCheckpoint(
      {
        ...FIELDS,
        task: { goal: texts, success_criteria: [texts], constraints: [texts] },
        user_rules: [texts],
        subtasks: [{ id: "t1", title: texts, status: "planned", note: texts }],
        next_step: texts,
        decisions: [{ decision: texts, rationale: texts, alternatives: [texts] }],
        open_issues: [texts],
        learnings: [texts],
        notes: [{ note_id: "n1", category: "misc", importance: "high", text: texts }],
        environment: { [texts]: texts, deep: [{ [texts]: [texts] }], files: { [texts]: texts } },
        delegations: [
          { delegation_id: "d1", child_session_id: "s/d1", title: texts, status: "done", budget_tokens: 1 },
        ],
        summary: { text: texts, generation: 1 },
        ledger: texts,
      },
      { mask, statedTask: STATED },
    );
    expect(JSON.stringify(document)).not.toContain(secret);
    expect(JSON.stringify(document).match(/\[masked\]/g)).toHaveLength(22);
    for (const kept of ["c3", "parser/port", "parser/port#2", "coder", "t1", "n1", "d1", "s/d1", FIELDS.saved_at]) {
      expect(masked).not.toContain(kept);
    }
  });

  it("masks a value of the environment by the name that it stands under, and no digest of a file", () => {
    const environment: JsonObject = {
      DB_PASSWORD: "hunter2!",
      vars: { api_key: "9f8G7h6J5k4L3m2N" },
      commit: "0123456789abcdef0123456789abcdef01234567",
      files: { "src/secret-token": "sha256:0123456789abcdef0123", "src/token.ts": "0123456789abcdef" },
    };
    const { environment: shown } = makeCheckpoint({ ...FIELDS, environment }, { mask: maskSecrets, statedTask: null });
    expect(shown).toEqual({ ...environment, DB_PASSWORD: "[masked]", vars: { api_key: "[masked]" } });
  });

  it("keeps two keys of the environment apart that are the same once masked", () => {
    const mask = (text: string) => text.replace(/secret\d/, "[masked]");
    const { environment } = makeCheckpoint(
      { ...FIELDS, environment: { secret1: 1, secret2: 2 } },
      { mask, statedTask: null },
    );
    expect(environment).toEqual({ "[masked]": 1, "[masked] 2": 2 });
  });

  it("keeps keys of an object's prototype as what they are: data", () => {
    const environment = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":"x","deep":{"__proto__":2}}',
    ) as JsonObject;
    const document = documentOf({ environment });
    expect(JSON.stringify(document.environment)).toBe(JSON.stringify(environment));
    const read = accepted(document) as { document: CheckpointDocument };
    expect(JSON.stringify(read.document.environment)).toBe(JSON.stringify(environment));
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("is accepted with as much as task.update and note.write take", () => {
    const long = "x".repeat(20_000);
    const document = documentOf({
      task: {
        goal: "g".repeat(1_000_000),
        success_criteria: Array(1000).fill("a"),
        constraints: Array(1000).fill("b"),
      },
      subtasks: Array.from({ length: 200 }, (_, n) => ({
        id: `${n}`.padEnd(64, "i"),
        title: "t".repeat(1000),
        status: "planned" as const,
        note: "n".repeat(2000),
      })),
      learnings: Array.from({ length: 100_000 }, (_, n) => String.fromCharCode(n & 0xffff)),
      decisions: Array.from({ length: 100 }, () => ({
        decision: "d",
        rationale: "",
        alternatives: Array(100).fill(""),
      })),
      notes: Array.from({ length: 25 }, (_, n) => ({
        note_id: `n${n}`,
        category: "misc" as const,
        importance: "normal" as const,
        text: long,
      })),
      environment: { ["k".repeat(256)]: "v" },
      context: { tokens: 0, max_tokens: 256, utilization: 1.2 },
    });
    expect(document.left_out).toBeUndefined();
    expect(accepted(document)).toHaveProperty("document");
  });

  it("keeps the newest where a list is longer than it may be, and cuts texts that the mask made too long", () => {
    const document = makeCheckpoint(
      { ...FIELDS, learnings: Array.from({ length: 125_002 }, (_, n) => `${n}`), next_step: "y".repeat(20_000) },
      { mask: (text) => (text.startsWith("y") ? text.repeat(3) : text), statedTask: STATED },
    );
    expect(document.learnings).toHaveLength(125_000);
    expect(document.learnings[0]).toBe("2");
    expect(document.next_step).toHaveLength(40_000);
    expect(accepted(document)).toHaveProperty("document");
  });

  it.each([
    ["é", ["ledger"]],
    ["\u0001", ["ledger", "summary", "learnings"]],
  ])("gives up whole fields, told, in their order where it is too big (%j)", (character, left) => {
    const document = documentOf({
      ledger: character.repeat(1_500_000),
      summary: { text: character.repeat(600_000), generation: 1 },
      learnings: Array.from({ length: 40 }, () => character.repeat(18_000)),
      next_step: "stays",
    });
    expect(document.left_out).toEqual(left);
    expect(document.ledger).toBeNull();
    expect(document.next_step).toBe("stays");
    expect(bytesOf(document)).toBeLessThanOrEqual(MOST_BYTES);
    expect(accepted(document)).toHaveProperty("document");
  });

  it("is accepted whatever it is made of, down to the stated task", () => {
    const huge = "\u0001".repeat(1_000_000);
    const document = documentOf({ task: { goal: huge, success_criteria: [huge], constraints: [huge] } });
    expect(document.left_out?.at(-1)).toBe("task");
    expect(document.task.goal).toBeNull();
    expect(accepted(document)).toHaveProperty("document");
  });
});
