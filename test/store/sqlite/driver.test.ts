import { describe, expect, it } from "vitest";
import { BindingError, checkBindings, driverNames, faultOf } from "../../../src/store/sqlite/driver.ts";
import { storeProcesses } from "../../support/store-process.ts";

describe("the values that may reach the binding", () => {
  it.each([
    ["null", null],
    ["zero", 0],
    ["a fraction", -1.5],
    ["the largest 64-bit integer", 2n ** 63n - 1n],
    ["the smallest 64-bit integer", -(2n ** 63n)],
    ["bytes", new Uint8Array([1, 2])],
    ["text", "ü\u{1f600}"],
    ["no text", ""],
  ])("let %s through", (_what, value) => {
    expect(() => checkBindings([value], 1)).not.toThrow();
  });

  it.each([
    ["a boolean", true],
    ["undefined", undefined],
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["an integer of more than 64 bits", 2n ** 63n],
    ["an object", {}],
    ["an array", [1]],
    ["a date", new Date(0)],
    ["an array buffer", new ArrayBuffer(2)],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["text with NUL", "a\0b"],
    ["text with a lone surrogate", "a\ud800"],
    ["a blob over 64 MiB", new Uint8Array(64 * 1024 * 1024 + 1)],
  ])("hold back %s", (_what, value) => {
    expect(() => checkBindings([value], 1)).toThrow(BindingError);
  });

  it("are one array of exactly as many as the statement takes", () => {
    expect(() => checkBindings([1, 2], 1)).toThrow("2 values for 1 question marks");
    expect(() => checkBindings([], 1)).toThrow(BindingError);
    expect(() => checkBindings({ 0: 1, length: 1 }, 1)).toThrow(BindingError);
    expect(() => checkBindings(new Uint8Array(1), 1)).toThrow(BindingError);
  });
});

describe("what an error blames", () => {
  const coded = (code: string, rawCode?: number) => Object.assign(new Error("x"), { code, rawCode });

  it("is read from the name or number of SQLite's code", () => {
    expect(faultOf(coded("SQLITE_CONSTRAINT_UNIQUE"))).toBe("row");
    expect(faultOf(coded("UNKNOWN_SQLITE_ERROR_3091", 3091))).toBe("row");
    expect(faultOf(coded("SQLITE_IOERR_FSYNC"))).toBe("io");
    expect(faultOf(coded("UNKNOWN_SQLITE_ERROR_2826", 2826))).toBe("io");
    expect(faultOf(coded("SQLITE_FULL"))).toBe("full");
    expect(faultOf(coded("SQLITE_ERROR", 1))).toBe("other");
  });

  it("is the row when it is an error of our own or of Node.js's", () => {
    expect(faultOf(new BindingError("x"))).toBe("row");
    expect(faultOf(coded("ERR_INVALID_ARG_TYPE"))).toBe("row");
  });
});

describe.each(driverNames())("the binding %s", (name) => {
  const run = storeProcesses();

  it("survives every value that would abort it, and stores the rest exactly", async () => {
    const ending = await run(`
      import { loadDriver } from "./store/sqlite/driver.js";
      const connection = (await loadDriver("${name}")).open(":memory:", 0);
      connection.exec("CREATE TABLE x (a, b)");
      const insert = connection.prepare("INSERT INTO x VALUES (?, ?)");
      const hostile = [[true, 1], Buffer.from("x"), {}, null, undefined, [1], [1, 2, 3], [1, {}], [1, "a\\0"], [1, "\\ud800"], [1, NaN], ["x", [1]]];
      let refused = 0;
      for (const values of hostile) {
        try { insert.run(values); } catch { refused++; }
        try { insert.all(values); } catch { refused++; }
        try { insert.get(values); } catch { refused++; }
      }
      say(refused === hostile.length * 3);
      insert.run([2 ** 52 + 1, Buffer.from([0, 255])]);
      insert.run([null, "ü"]);
      say(connection.prepare("SELECT a, hex(b) FROM x").all([]));
    `);
    expect(ending).toMatchObject({ code: 0, errors: "" });
    expect(ending.lines).toEqual(["true", '[[4503599627370497,"00FF"],[null,"C3BC"]]']);
  });
});
