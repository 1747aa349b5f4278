import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { compareEnvironment } from "../../../src/window/bootstrap/index.ts";

const COMMIT = "8618c6a1d24d0c4e6ee0a4b0ca3c7b9e4b7a1f22";
const isSame = (before: Json, now: Json) => compareEnvironment({ key: before }, { key: now }).passed === 1;

describe("the comparison of environments", () => {
  it("checks what was reported, files one by one, and names what drifted", () => {
    const expected = {
      cwd: "/testbed",
      branch: "main",
      commit: COMMIT,
      files: { "src/a.ts": "aaaaaaa1", "src/b.ts": "bbbbbbb1", "src/c.ts": "ccccccc1" },
      python: "3.8",
    };
    const reported = {
      branch: "fix",
      commit: COMMIT,
      files: { "src/a.ts": "aaaaaaa1", "src/b.ts": "0000000" },
      new: 1,
    };
    expect(compareEnvironment(expected, reported)).toEqual({
      checks: 4,
      passed: 2,
      drifted: ["branch", "files/src/b.ts"],
    });
    expect(compareEnvironment(expected, {})).toEqual({ checks: 0, passed: 0, drifted: [] });
    expect(compareEnvironment({}, reported)).toEqual({ checks: 0, passed: 0, drifted: [] });
  });

  it("counts as drifted what is gone, alone or with all its members", () => {
    const expected = { branch: "main", files: { "a.ts": "aaaaaaa1", "b.ts": "bbbbbbb1" } };
    expect(compareEnvironment(expected, { branch: null, files: { "a.ts": null } })).toEqual({
      checks: 2,
      passed: 0,
      drifted: ["branch", "files/a.ts"],
    });
    expect(compareEnvironment(expected, { files: null }).drifted).toEqual(["files"]);
  });

  it.each<[string, Json, Json]>([
    ["a slash behind a folder", "/srv/app", "/srv/app/"],
    ["a short hash of the same commit", COMMIT, COMMIT.slice(0, 7)],
    ["a hash in capitals", COMMIT.slice(0, 12), COMMIT.toUpperCase()],
    ["a hash with its name", COMMIT, `sha1:${COMMIT}`],
    ["a number as a text", 8080, "8080"],
    ["a fraction as a text", "1.50", 1.5],
    ["a truth as a text", true, "true"],
    ["white space at the end", "main", "main\n"],
    ["a version as its program prints it", "3.11.4", "Python 3.11.4"],
    ["a version with its letter", "20.11.1", "v20.11.1"],
    ["a list in another order", ["redis", 5432], ["5432", "redis"]],
  ])("takes %s for the same", (_, before, now) => {
    expect(isSame(before, now)).toBe(true);
    expect(isSame(now, before)).toBe(true);
  });

  it.each<[string, Json, Json]>([
    ["another folder", "/srv/app", "/srv/app2"],
    ["the root and nothing", "/", ""],
    ["a hash of six digits", COMMIT, COMMIT.slice(0, 6)],
    ["another hash", COMMIT, `${COMMIT.slice(0, 39)}3`],
    ["a hash of another kind", `md5:${COMMIT}`, `sha1:${COMMIT}`],
    ["a longer number", "2026112", "20261121"],
    ["a version with another end", "3.1", "3.10"],
    ["a branch in another case", "Main", "main"],
    ["a list with a member less", ["a", "b"], ["a"]],
    ["a member twice for two members", ["a", "b"], ["a", "a"]],
    ["a text for an object", { a: 1 }, "a"],
  ])("tells %s apart", (_, before, now) => {
    expect(isSame(before, now)).toBe(false);
    expect(isSame(now, before)).toBe(false);
  });

  it("finds nothing amiss in an environment reported as it was told, and counts each check once", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (a, b) => {
        const before = JSON.parse(JSON.stringify(a)) as JsonObject;
        const now = { ...before, ...(JSON.parse(JSON.stringify(b)) as JsonObject) };
        expect(compareEnvironment(before, before).drifted).toEqual([]);
        const { checks, passed, drifted } = compareEnvironment(before, now);
        expect(passed + drifted.length).toBe(checks);
      }),
    );
  });

  it("is done soon with long lists in opposite orders", () => {
    const list = Array.from({ length: 50_000 }, (_, at) => `p${at}`);
    expect(isSame(list, [...list].reverse())).toBe(true);
  });

  it("is not misled by keys that every object has", () => {
    const expected = JSON.parse('{"constructor": "a", "__proto__": "b"}') as JsonObject;
    expect(compareEnvironment(expected, {}).checks).toBe(0);
    expect(compareEnvironment(expected, JSON.parse('{"__proto__": "c"}') as JsonObject).drifted).toEqual(["__proto__"]);
  });
});
