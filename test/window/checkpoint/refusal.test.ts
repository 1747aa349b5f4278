import { describe, expect, it } from "vitest";
import {
  notFoundSentence,
  type Refusal,
  refusalOf,
  type SessionStanding,
  sentenceOf,
  taskHash,
} from "../../../src/window/checkpoint/index.ts";
import { documentOf, FIELDS, STATED } from "./document-of.ts";

const SAVED = Date.parse(FIELDS.saved_at);
const document = documentOf();
const session = (fields: Partial<SessionStanding> = {}): SessionStanding => ({
  taskHash: taskHash(STATED),
  windowNumber: 2,
  stateVersion: 56,
  now: SAVED,
  ...fields,
});

describe("a checkpoint that is offered", () => {
  it("is loaded where it is ahead of the session", () => {
    expect(refusalOf(document, session())).toBeNull();
    expect(refusalOf(document, session({ windowNumber: 1, stateVersion: 0 }))).toBeNull();
  });

  it("is stale at the session's state version or below it, and below its window", () => {
    expect(refusalOf(document, session({ stateVersion: 57 }))).toMatchObject({ reason: "stale" });
    expect(refusalOf(document, session({ stateVersion: 58 }))).toMatchObject({ reason: "stale" });
    const ofThree = documentOf({ window_number: 3, state_version: 90 });
    const refusal = refusalOf(ofThree, session({ windowNumber: 4, stateVersion: 80 }));
    expect(refusal).toEqual({
      reason: "stale",
      window_number: 3,
      session_window_number: 4,
      state_version: 90,
      session_state_version: 80,
    });
    expect(sentenceOf(refusal as Refusal)).toBe(
      "The checkpoint is of window 3, state version 90; the session is at window 4, state version 80, and both only rise: load a newer one, or go on with the session as it is.",
    );
  });

  it("is foreign where the session has another task, also where the checkpoint has none", () => {
    const other = taskHash({ ...STATED, goal: "other" });
    const refusal = refusalOf(document, session({ taskHash: other }));
    expect(refusal).toMatchObject({ reason: "foreign", session_task_hash: other });
    expect(sentenceOf(refusal as Refusal)).toContain((other as string).slice(0, 12));
    const none = refusalOf({ ...document, task_hash: null }, session());
    expect(none).toMatchObject({ reason: "foreign", task_hash: null });
    expect(sentenceOf(none as Refusal)).toContain("none was stated");
  });

  it("is not foreign to a session without a task", () => {
    expect(refusalOf(document, session({ taskHash: null }))).toBeNull();
  });

  it("is expired a millisecond after its time, and never without one", () => {
    expect(refusalOf(document, session({ now: SAVED + 3_600_000 }))).toBeNull();
    const refusal = refusalOf(document, session({ now: SAVED + 3_600_001 }));
    expect(refusal).toEqual({
      reason: "expired",
      saved_at: FIELDS.saved_at,
      ttl_seconds: 3600,
      expired_for_seconds: 1,
    });
    expect(sentenceOf(refusal as Refusal)).toMatch(/good for 3600 s and expired 1 s ago: load a newer one/);
    expect(refusalOf(documentOf({ ttl_seconds: null }), session({ now: SAVED * 2 }))).toBeNull();
  });

  it("is called foreign first, then expired, then stale", () => {
    const late = { now: SAVED + 9_999_999, stateVersion: 99 };
    expect(refusalOf(document, session({ ...late, taskHash: "0".repeat(64) }))?.reason).toBe("foreign");
    expect(refusalOf(document, session(late))?.reason).toBe("expired");
  });

  it("that is not there is named only if it is an id of a checkpoint", () => {
    expect(notFoundSentence("c7")).toBe("This session has no checkpoint c7: checkpoint.list names those that it has.");
    expect(notFoundSentence("<x>")).not.toContain("<x>");
  });
});
