import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createLog, type LogLevel, safeError } from "../src/log.ts";
import { ContextdError } from "../src/model/errors.ts";

function recordingLog(level: LogLevel = "info", readable = false) {
  const lines: string[] = [];
  const log = createLog({ level, readable }, { write: (line) => void lines.push(line) });
  return { log, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const CANARY = "canary-77aa";

describe("the log", () => {
  test("writes a JSON line with level, time and fields", () => {
    const { log, records } = recordingLog();
    log.info({ session: "s1", tokens: 12 }, "a pass ended");
    expect(records()).toEqual([
      {
        level: "info",
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        pid: process.pid,
        session: "s1",
        tokens: 12,
        msg: "a pass ended",
      },
    ]);
  });

  test("follows a change of its level", () => {
    const { log, records } = recordingLog("warn");
    log.info({}, "one");
    log.level = "debug";
    log.debug({}, "two");
    log.level = "silent";
    log.fatal({}, "three");
    expect(records().map(({ msg }) => msg)).toEqual(["two"]);
  });

  test("a child's lines carry its fields", () => {
    const { log, records } = recordingLog();
    log.child({ part: "store" }).warn({ queued: 3 }, "slow");
    expect(records()[0]).toMatchObject({ part: "store", queued: 3, msg: "slow" });
  });

  test("writes sizes instead of whatever is nested or long", () => {
    const { log, records, lines } = recordingLog();
    const body = { messages: [{ content: CANARY }] };
    log.warn({ body, params: [body], text: `${"x".repeat(256)}${CANARY}`, ids: ["a", "b"] }, "odd");
    expect(lines.join("")).not.toContain(CANARY);
    expect(records()[0]).toMatchObject({ body: "[object of 1 keys]", params: "[list of 1]", ids: ["a", "b"] });
  });

  test("writes an error without what it carries, wherever it stands", () => {
    const { log, lines } = recordingLog();
    const cause = new Error(CANARY);
    const error = Object.assign(new ContextdError("overloaded", "too much", { leaked: CANARY }, { cause }), {
      body: CANARY,
    });
    log.error({ err: error }, "failed");
    log.error({ problem: error }, "failed");
    log.error(error, "failed");
    log.child({ err: error }).error({}, "failed");
    expect(lines.join("")).not.toContain(CANARY);
    for (const line of lines) expect(line).toContain('"reason":"overloaded"');
  });
});

describe("safeError", () => {
  test("keeps name, message, reason, frames and the names of causes", () => {
    const cause = Object.assign(new TypeError(CANARY), { code: "EIO" });
    const safe = safeError(new ContextdError("storage_unavailable", "the journal failed", {}, { cause }));
    expect(safe).toMatchObject({
      name: "ContextdError",
      message: "the journal failed",
      reason: "storage_unavailable",
      causes: ["TypeError (EIO)"],
    });
    expect(safe.stack).toMatch(/^\s+at /);
    expect(safe.stack).not.toContain("the journal failed");
  });

  test("withholds the message of a parser: it quotes its input", () => {
    const errors: unknown[] = [];
    for (const parse of [() => JSON.parse(`{"a": ${CANARY}}`), () => z.enum(["a"]).parse(CANARY)]) {
      try {
        parse();
      } catch (error) {
        errors.push(error);
      }
    }
    expect(errors).toHaveLength(2);
    expect(JSON.stringify(errors.map(safeError))).not.toContain(CANARY);
  });

  test("says that something else was thrown, not what", () => {
    expect(JSON.stringify(safeError(CANARY))).not.toContain(CANARY);
    expect(safeError(undefined).name).toBe("undefined");
  });

  test("bounds what it keeps", () => {
    const loop = new Error("x".repeat(5000));
    loop.cause = loop;
    const safe = safeError(loop);
    expect(safe.message.length).toBeLessThan(1100);
    expect(safe.causes).toHaveLength(5);
  });
});

describe("the readable log", () => {
  test("writes one line for people", () => {
    const { log, lines } = recordingLog("info", true);
    log.warn({ session: "s 1", tokens: 12 }, "a pass ended");
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}a pass ended {2}session="s 1" {2}tokens=12\n$/);
  });

  test("puts the frames of an error on lines of their own", () => {
    const { log, lines } = recordingLog("info", true);
    log.error({ err: new RangeError("too far") }, "failed");
    expect(lines[0]).toMatch(/ error failed {2}err="RangeError: too far"\n\s+at /);
  });

  test("lets no control character reach the terminal", () => {
    const { log, lines } = recordingLog("info", true);
    log.info({ session: "a\u001b[2Jb", other: "\u202e" }, "x\u001b[0m\ny");
    expect(lines[0]).not.toMatch(/[\u001b\u202e]/);
    expect(lines[0]?.match(/\n/g)).toHaveLength(1);
  });
});
