import { describe, expect, it } from "vitest";
import { invalidParams } from "../../src/rpc/invalid-params.ts";
import { jsonSchemaOf } from "../../src/rpc/json-schema.ts";
import { methodProbe, testMethods } from "../support/rpc-methods.ts";

const { params: schema } = testMethods(methodProbe()).find((method) => method.name === "session.write") ?? {};

function told(params: unknown): { message: string; path: unknown; problems: unknown } {
  const parsed = schema?.safeParse(params);
  if (!schema || !parsed || parsed.success) throw new Error("the params fit");
  const error = invalidParams(parsed.error, params, () => jsonSchemaOf(schema, "input"));
  expect(error.reason).toBe("invalid_params");
  return { message: error.message, path: error.data["path"], problems: error.data["problems"] };
}

describe("wrong params are told by place, rule and kind", () => {
  const session_id = "s";
  it.each([
    [{}, "session_id", '"session_id" is missing: it must be a string.'],
    [{ session_id: 5 }, "session_id", '"session_id" must be a string, not a number.'],
    [{ session_id: "" }, "session_id", '"session_id" must have at least 1 character.'],
    [{ session_id: "x".repeat(17) }, "session_id", '"session_id" must have at most 16 characters.'],
    [{ session_id, turn: 1.5 }, "turn", '"turn" must be an integer, not a fraction.'],
    [{ session_id, turn: -1 }, "turn", '"turn" must be at least 0.'],
    [{ session_id, note: " " }, "note", '"note" must hold more than white space.'],
    [{ session_id, code: "4" }, "code", '"code" must match the pattern /^[a-z]+$/.'],
    [{ session_id, turn: null }, "turn", '"turn" must be a number, not null.'],
    [{ session_id, policy: "secret" }, "policy", '"policy" must be one of "fifo", "lru".'],
    [{ session_id, tags: ["a", 2] }, "tags[1]", '"tags[1]" must be a string, not a number.'],
    [{ session_id, tags: ["a", "b", "c", "d"] }, "tags", '"tags" must have at most 3 items.'],
    [{ session_id, weights: { age: "x" } }, "weights.age", '"weights.age" must be a number, not a string.'],
    [{ session_id, source: { kind: "ftp" } }, "source.kind", '"source.kind" must be one of "file", "url".'],
    [{ session_id, source: { kind: "file" } }, "source.path", '"source.path" is missing: it must be a string.'],
    [{ session_id, window: 5 }, "window", '"window" must be "auto" or an object, not a number.'],
    [{ session_id, window: { tokens: "x" } }, "window.tokens", '"window.tokens" must be a number, not a string.'],
    [{ session_id, window: { tokens: 0 } }, "window.tokens", '"window.tokens" must be more than 0.'],
  ])("%j", (params, path, message) => {
    expect(told(params)).toMatchObject({ message, path });
  });

  it("names the legal members where one is unknown, and a near one", () => {
    const { message, path } = told({ session_id, polcy: "lru" });
    expect(path).toBe("polcy");
    expect(message).toBe(
      '"polcy" is not a known member: the legal ones are session_id, turn, note, code, policy, tags, weights, source, ' +
        'window, idempotency_key. Did you mean "policy"?',
    );
    expect(told({ session_id, source: { kind: "file", path: "p", size: 1 } })).toMatchObject({
      path: "source.size",
      message: '"size" is not a known member of "source": the legal ones are kind, path, url.',
    });
  });

  it("takes __proto__ for the unknown member that it is", () => {
    expect(told(JSON.parse('{"session_id":"s","__proto__":{"session_id":"x"}}')).path).toBe("__proto__");
  });

  it("lists further problems", () => {
    const { message, problems } = told({ turn: "x", policy: 1 });
    expect(message).toContain("2 more in data.problems.");
    expect(problems).toHaveLength(3);
  });

  it("bounds what it lists and never quotes values or names that may be content", () => {
    const canary = "the secret prompt ".repeat(20);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${canary}${i}`, canary]));
    const answers = [
      told({ session_id: canary, policy: canary, turn: canary, tags: canary }),
      told({ session_id: "s", ...many }),
      told({ session_id: "s", weights: { [canary]: canary } }),
    ];
    for (const answer of answers) {
      expect(JSON.stringify(answer)).not.toContain("secret");
      expect(JSON.stringify(answer).length).toBeLessThan(6000);
    }
  });
});
