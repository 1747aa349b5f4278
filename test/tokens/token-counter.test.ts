import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ContextdError } from "../../src/model/errors.ts";
import { tokenizers } from "../../src/tokens/registry.ts";
import {
  QUICK_LIMIT,
  SYNC_LIMIT,
  TokenCounter,
  type TokenCounterDependencies,
  type TokenCounterOptions,
} from "../../src/tokens/token-counter.ts";
import { compileWorker, type WorkerFolder } from "./compiled-worker.ts";

const LINE = "2026-07-31T12:00:00Z INFO request id=4f3a9c status=200 duration=12.5ms\n";
const LARGE = LINE.repeat(Math.ceil(SYNC_LIMIT / LINE.length) + 1000);

let folder: WorkerFolder;
const open: TokenCounter[] = [];

beforeAll(() => {
  folder = compileWorker();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((counter) => counter.close()));
});
afterAll(() => folder.remove());

function counter(options: TokenCounterOptions = {}, dependencies: TokenCounterDependencies = {}): TokenCounter {
  const made = new TokenCounter(options, dependencies);
  open.push(made);
  return made;
}

describe("count", () => {
  it("is exact up to the sync limit", () => {
    expect(counter().count("hello world", "o200k_base")).toEqual({ tokens: 2, approximate: false });
    const lines = LARGE.slice(0, SYNC_LIMIT);
    const exact = tokenizers["o200k_base"]!().count(lines);
    expect(counter().count(lines, "o200k_base")).toEqual({ tokens: exact, approximate: false });
  });

  it.each([
    ["letters", "a"],
    ["spaces", " "],
    ["CJK", "漢"],
    ["lone surrogates", "\ud800"],
  ])("estimates a long unbroken run of %s, which would hold up the event loop, and says so", (_name, unit) => {
    const text = unit.repeat(SYNC_LIMIT);
    const own = counter();
    expect(own.countIfQuick(text, "o200k_base")).toBeNull();
    const { tokens, approximate } = own.count(text, "o200k_base");
    const exact = tokenizers["o200k_base"]!().count(text);
    expect(approximate).toBe(true);
    expect(tokens).toBeGreaterThanOrEqual(exact);
    expect(tokens).toBeLessThanOrEqual(exact * 1.2);
  });

  it("is exact for a short run, and for a long text whose runs are short", () => {
    expect(counter().count("a".repeat(QUICK_LIMIT), "o200k_base")).toEqual({ tokens: 4096, approximate: false });
    const broken = `${"a".repeat(QUICK_LIMIT / 2)}\n`.repeat(8);
    const exact = tokenizers["o200k_base"]!().count(broken);
    expect(counter().countIfQuick(broken, "o200k_base")).toEqual({ tokens: exact, approximate: false });
  });

  it("estimates a text over the sync limit, near the truth and not below it, and says so", () => {
    const { tokens, approximate } = counter().count(LARGE, "o200k_base");
    const exact = tokenizers["o200k_base"]!().count(LARGE);
    expect(approximate).toBe(true);
    expect(tokens).toBeGreaterThanOrEqual(exact);
    expect(tokens).toBeLessThanOrEqual(exact * 1.2);
  });

  it("marks the rule of thumb as approximate", () => {
    expect(counter().count("123456789", "chars")).toEqual({ tokens: 3, approximate: true });
  });

  it("refuses an encoding it does not know, naming those it does", () => {
    const attempt = () => counter().count("x", "toString");
    expect(attempt).toThrow(ContextdError);
    expect(attempt).toThrow(/No tokenizer counts toString: use one of o200k_base, cl100k_base, chars/);
  });

  it("makes a tokenizer only when its encoding is asked for, and once", () => {
    let made = 0;
    const words = () => {
      made++;
      return { name: "words", count: (text: string) => text.split(" ").length };
    };
    const own = counter({}, { tokenizers: { words } });
    expect(made).toBe(0);
    expect(own.count("a b c", "words").tokens).toBe(3);
    own.count("a b", "words");
    expect(made).toBe(1);
  });

  it("uses the library's encoder when told to", () => {
    // Not white space to us, as to tiktoken; white space to JavaScript's \s, as to the library.
    const text = " \ufeff=";
    const library = counter({ tokenizer: "js-tiktoken" });
    expect(library.count(text, "o200k_base").tokens).not.toBe(counter().count(text, "o200k_base").tokens);
    expect(library.count("123456789", "chars").tokens).toBe(3);
  });
});

describe("countLarge", () => {
  it("counts exactly in the worker", async () => {
    const own = counter({ workerUrl: folder.counting, budgetMs: 30_000 });
    const exact = tokenizers["o200k_base"]!().count(LARGE);
    expect(await own.countLarge(LARGE, "o200k_base")).toEqual({ tokens: exact, approximate: false });
  });

  it("counts a megabyte of one character without holding up the event loop", async () => {
    const own = counter({ workerUrl: folder.counting, budgetMs: 30_000 });
    await own.countLarge(LARGE, "o200k_base");
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 5);
    const counted = await own.countLarge("a".repeat(1_000_000), "o200k_base");
    clearInterval(ticking);
    expect(counted).toEqual({ tokens: 125_000, approximate: false });
    // Counted on this thread, in one piece of hundreds of milliseconds, no timer would have fired.
    expect(ticks).toBeGreaterThan(10);
  });

  it("keeps the order of several texts and answers each its own count", async () => {
    const own = counter({ workerUrl: folder.counting, budgetMs: 30_000 });
    const lengths = [SYNC_LIMIT + 128, SYNC_LIMIT + 256, SYNC_LIMIT + 384];
    const counts = await Promise.all(lengths.map((length) => own.countLarge(" ".repeat(length), "o200k_base")));
    expect(counts.map((count) => count.tokens)).toEqual(lengths.map((length) => length / 128));
  });

  it("estimates when the time budget is over, and counts the next text in a new worker", async () => {
    // Answers texts that start with "ok" and is stuck in a loop over all others.
    const url = folder.write(
      "stuck.mjs",
      `import { parentPort } from "node:worker_threads";
       parentPort.on("message", ({ id, text }) => { while (!text.startsWith("ok")); parentPort.postMessage({ id, tokens: 7 }); });`,
    );
    const lost: string[] = [];
    const own = counter({ workerUrl: url, budgetMs: 300 }, { onLost: (reason) => lost.push(reason) });
    expect(await own.countLarge(`ok${LARGE}`, "o200k_base")).toEqual({ tokens: 7, approximate: false });
    const estimate = await own.countLarge(LARGE, "o200k_base");
    expect(estimate).toEqual(own.count(LARGE, "o200k_base"));
    expect(estimate.approximate).toBe(true);
    expect(await own.countLarge(`ok${LARGE}`, "o200k_base")).toEqual({ tokens: 7, approximate: false });
    expect(lost).toEqual(["time_budget"]);
  });

  it("estimates when the worker crashes, and counts the next text in a new worker", async () => {
    const url = folder.write(
      "crash.mjs",
      `import { parentPort } from "node:worker_threads";
       parentPort.on("message", ({ id, text }) => { if (text[0] === "!") throw new Error("boom"); parentPort.postMessage({ id, tokens: 7 }); });`,
    );
    const lost: string[] = [];
    const own = counter({ workerUrl: url }, { onLost: (reason) => lost.push(reason) });
    const [crashed, next] = await Promise.all([
      own.countLarge(`!${LARGE}`, "o200k_base"),
      own.countLarge(LARGE, "o200k_base"),
    ]);
    expect(crashed.approximate).toBe(true);
    expect(next).toEqual({ tokens: 7, approximate: false });
    expect(lost).toEqual(["worker_failed"]);
  });

  it("estimates when there is no such worker module", async () => {
    const url = new URL("missing.mjs", folder.counting);
    expect(existsSync(url)).toBe(false);
    expect((await counter({ workerUrl: url }).countLarge(LARGE, "o200k_base")).approximate).toBe(true);
  });

  it("estimates what is under way and what comes after close", async () => {
    const own = counter({ workerUrl: folder.counting });
    const pending = own.countLarge(LARGE, "o200k_base");
    const waiting = own.countLarge(LARGE, "o200k_base");
    await own.close();
    expect((await pending).approximate).toBe(true);
    expect((await waiting).approximate).toBe(true);
    expect((await own.countLarge(LARGE, "o200k_base")).approximate).toBe(true);
  });

  it("counts between turns of the event loop where there is no worker", async () => {
    const own = counter({ workerUrl: null });
    let turns = 0;
    let done = false;
    const tick = () => {
      turns++;
      if (!done) setImmediate(tick);
    };
    setImmediate(tick);
    const counted = await own.countLarge(LARGE, "o200k_base");
    done = true;
    expect(counted).toEqual({ tokens: tokenizers["o200k_base"]!().count(LARGE), approximate: false });
    expect(turns).toBeGreaterThan(10);
  });

  it("counts with a plug-in's tokenizer on this thread, whose code the worker does not have", async () => {
    const url = folder.write("unused.mjs", "process.exit(1);");
    const words = () => ({ name: "o200k_base", count: () => 5 });
    const own = counter({ workerUrl: url }, { tokenizers: { words } });
    expect(await own.countLarge(LARGE, "words")).toEqual({ tokens: 5, approximate: false });
  });
});
