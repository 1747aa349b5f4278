import { describe, expect, it } from "vitest";
import { type Access, permits, type Scope } from "../../src/rpc/scope.ts";

const reads = (scope: Scope): Access => ({ scope, mutates: false });
const changes = (scope: Scope): Access => ({ scope, mutates: true });

describe("a scope", () => {
  it.each<[Scope, Access, boolean]>([
    ["agent", reads("agent"), true],
    ["agent", changes("agent"), true],
    ["agent", reads("operator"), false],
    ["agent", reads("metrics"), false],
    ["agent", reads("admin"), false],
    ["operator", reads("agent"), true],
    ["operator", changes("agent"), false],
    ["operator", { ...changes("agent"), sharedWith: ["operator"] }, true],
    ["operator", changes("operator"), true],
    ["operator", reads("metrics"), false],
    ["operator", reads("admin"), false],
    ["metrics", reads("metrics"), true],
    ["metrics", reads("agent"), false],
    ["metrics", reads("operator"), false],
    ["admin", changes("agent"), true],
    ["admin", changes("operator"), true],
    ["admin", reads("metrics"), true],
    ["admin", changes("admin"), true],
  ])("%s on %j: %s", (held, access, allowed) => {
    expect(permits(new Set([held]), access)).toBe(allowed);
  });

  it("is nothing when there is none", () => {
    expect(permits(new Set(), reads("agent"))).toBe(false);
  });
});
