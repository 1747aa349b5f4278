import { describe, expect, it } from "vitest";
import { type Extractor, extractors } from "../../../src/compression/extract/index.ts";
import { countCharacters } from "../../support/context-builder.ts";
import * as outputs from "../../support/tool-outputs.ts";

function extract(extractor: Extractor, text: string, limitTokens: number): string {
  const made = extractor.extract(text, { limitTokens, count: countCharacters, handle: "h-0123456789ab" });
  if (made === null) throw new Error("nothing was extracted");
  return made;
}

describe("JSON", () => {
  it("of one line is shown by leaves: outcomes, first and last elements, the one that differs, and counts", () => {
    const text = extract(extractors.json, outputs.ordersJson(), 300);
    expect(text).toContain("total: 80\n");
    expect(text).toContain("orders[0].id: ord-1000\n");
    expect(text).toContain("orders[41].status: payment_failed\n");
    expect(text).toContain("orders[41].error: card declined: insufficient funds\n");
    expect(text).toContain("orders[79].id: ord-1079\n");
    expect(text).toMatch(/\[… \d+ lines: orders\[\d+\] to orders\[40\], keys [a-z, ]+ …\]/);
  });

  it("printed over many lines reads the same as on one", () => {
    const spread = JSON.stringify(JSON.parse(outputs.ordersJson()), null, 2);
    expect(extract(extractors.json, spread, 300)).toContain("orders[41].status: payment_failed\n");
  });

  it("keeps what stands beside a text too long to show", () => {
    const text = JSON.stringify({ status: "error", body: "x".repeat(50_000), code: 502 });
    const made = extract(extractors.json, text, 100);
    expect(made).toContain("status: error\n");
    expect(made).toContain("code: 502");
  });

  it("with a document a line is shortened by lines", () => {
    const lines = Array.from({ length: 200 }, (_, n) => JSON.stringify({ n, level: n === 150 ? "error" : "info" }));
    const made = extract(extractors.json, lines.join("\n"), 100);
    expect(made).toContain('{"n":150,"level":"error"}');
    expect(made).toContain('{"n":199,"level":"info"}');
  });
});

describe("a log", () => {
  const made = extract(extractors.log, outputs.serviceLog(), 260);

  it("keeps errors, warnings and how it ended, its first and its last line", () => {
    for (const line of [
      "2025-11-21 14:00:00,001 INFO  boot: starting ingest-worker 4.2.1",
      "2025-11-21 14:03:02,411 WARNING pool: 19 of 20 connections in use",
      "2025-11-21 14:03:05,733 ERROR db: connection to 10.0.4.17:5432 refused",
      "2025-11-21 14:09:59,999 INFO  worker exited with code 3",
    ]) {
      expect(made.split("\n")).toContain(line);
    }
  });

  it("folds lines that repeat, and tells those that differ in their figures", () => {
    expect(made).toContain("2025-11-21 14:03:00,000 INFO  heartbeat\n[× 37]\n");
    expect(made).toContain("DEBUG poll: queue depth 0\n[× 119 alike]\n");
  });

  it("does not fold errors that differ", () => {
    const errors = Array.from({ length: 12 }, (_, n) => `12:00:0${n % 10} ERROR job ${n} failed`);
    const text = [...Array.from({ length: 200 }, (_, n) => `12:00:00 INFO step ${n} done well`), ...errors].join("\n");
    const kept = extract(extractors.log, text, 200).split("\n");
    for (const line of errors) expect(kept).toContain(line);
  });
});

describe("a diff", () => {
  it("keeps headers and changed lines and drops context first", () => {
    const made = extract(extractors.diff, outputs.twoFileDiff(), 260);
    for (const line of [
      "diff --git a/src/queue.py b/src/queue.py",
      "+++ b/src/queue.py",
      "@@ -10,40 +10,40 @@ class Queue:",
      "-        self.limit = 100",
      "+        self.limit = settings.QUEUE_LIMIT",
      "diff --git a/tests/test_queue.py b/tests/test_queue.py",
      "+def test_case_0(): assert push(0)",
    ]) {
      expect(made.split("\n")).toContain(line);
    }
    expect(made).not.toContain("unchanged_15");
    expect(made).toMatch(/\[… \d+ lines: \+\d+ -0 …\]/);
  });
});

describe("a listing", () => {
  it("keeps folders and telling files and counts the rest by folder and extension", () => {
    const made = extract(extractors.listing, outputs.fileListing(), 200);
    for (const line of ["src/manager/", "src/store/", "src/server/", "package.json", "README.md"]) {
      expect(made.split("\n")).toContain(line);
    }
    expect(made).toMatch(/\[… \d+ lines: store\/ \d+; \.ts \d+.* …\]/);
  });

  it("in long form counts by extension, too", () => {
    const rows = Array.from({ length: 60 }, (_, n) => `-rw-r--r-- 1 me me  2134 Oct 24  2024 part_${n}.py`);
    const text = ["total 484", "drwxr-xr-x 2 me me 4096 Oct 24 2024 docs", ...rows].join("\n");
    const made = extract(extractors.listing, text, 120);
    expect(made).toContain("drwxr-xr-x 2 me me 4096 Oct 24 2024 docs\n");
    expect(made).toMatch(/left out: \.py \d+; recall/);
  });
});

describe("search hits", () => {
  it("keeps the first hits of each file and counts the others by file", () => {
    const made = extract(extractors.search_hits, outputs.grepHits(), 320);
    for (const file of [0, 1, 2, 3, 4, 5]) {
      expect(made).toContain(`src/area_${file}/view.ts:3:  const handle = openHandle(${file}, 0);\n`);
    }
    expect(made).toMatch(/\[… \d+ lines: src\/area_3\/view\.ts \d+ …\]/);
  });
});

describe("test output", () => {
  it("keeps failures verbatim and the counts, and none of what passed", () => {
    const made = extract(extractors.test_output, outputs.pytestRun(), 300);
    for (const line of [
      "_________________________________ test_refund __________________________________",
      ">       assert refund(order) == 120",
      "E       assert 0 == 120",
      "E        +  where 0 = refund(Order(total=120))",
      "tests/test_orders.py:88: AssertionError",
      "FAILED tests/test_orders.py::test_refund - assert 0 == 120",
      "======================== 1 failed, 141 passed in 3.21s =========================",
    ]) {
      expect(made.split("\n")).toContain(line);
    }
    expect(made).toMatch(/: \d+ of passing tests/);
    expect(made).not.toContain("test_case_70");
  });

  it.each([
    [
      "vitest",
      [
        " ✓ src/a.test.ts (40 tests) 12ms",
        " ✗ src/b.test.ts > adds > two",
        "AssertionError: expected 3 to be 4",
        " Tests  1 failed | 40 passed (41)",
      ],
    ],
    [
      "go",
      [
        "=== RUN   TestAdd",
        "--- FAIL: TestAdd (0.00s)",
        "    add_test.go:12: got 3, want 4",
        "FAIL\texample.com/add\t0.004s",
      ],
    ],
    [
      "cargo",
      [
        "running 41 tests",
        "test add::two ... FAILED",
        "thread 'add::two' panicked at src/lib.rs:9:5:",
        "test result: FAILED. 40 passed; 1 failed; 0 ignored",
      ],
    ],
    [
      "unittest",
      ["FAIL: test_two (test_add.AddTest)", "AssertionError: 3 != 4", "Ran 41 tests in 0.012s", "FAILED (failures=1)"],
    ],
  ])("of %s is recognised, and its failure stays", (_runner, [first = "", ...telling]) => {
    const noise = Array.from({ length: 80 }, (_, n) => `test add::case_${n} ... ok`);
    const passage = outputs.resultPassage([first, ...noise, ...telling].join("\n"));
    expect(extractors.test_output.recognises(passage)).toBe(true);
    const kept = extract(extractors.test_output, passage.text, 120).split("\n");
    for (const line of telling) expect(kept).toContain(line);
  });
});

describe("a stack trace", () => {
  const made = extract(extractors.stack_trace, outputs.pythonTrace(), 260);

  it("keeps what was raised and the end verbatim", () => {
    const end = outputs.pythonTrace().split("\n").slice(-5).join("\n");
    expect(made).toContain(end);
    expect(made).toContain("Traceback (most recent call last):\n");
  });

  it("keeps one's own frames before those of libraries", () => {
    expect(made).toContain('  File "/app/importer.py", line 57, in load\n');
    expect(made).not.toContain("core_3.py");
  });

  it.each([
    ["node", "TypeError: x is not a function\n    at load (/app/src/load.js:10:5)\n    at run (/app/src/run.js:3:1)"],
    ["java", "java.io.IOException: gone\n\tat com.shop.Load.run(Load.java:10)\nCaused by: java.lang.Error: disk"],
    ["rust", "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds\n   0: core::panicking\n   1: app::main"],
  ])("of %s is recognised", (_what, text) => {
    expect(extractors.stack_trace.recognises(outputs.resultPassage(text))).toBe(true);
  });

  it("is what any result is that the tool calls an error", () => {
    expect(extractors.stack_trace.recognises(outputs.resultPassage("no", "x", {}, true))).toBe(true);
  });
});

describe("any other text", () => {
  it("keeps its ends, decisions, rules and odd numbers", () => {
    const made = extract(extractors.plain, outputs.meetingNotes(), 320).split("\n");
    for (const line of [
      "Notes of the weekly meeting",
      "We decided to keep the old billing export until spring.",
      "Invoices must never be deleted, only cancelled.",
      "The contract number is KX-20931-b.",
      "The meeting ended early.",
    ]) {
      expect(made).toContain(line);
    }
  });

  it("of lines too long for the limit has no extract", () => {
    const text = ["short", "x".repeat(9_000), "y".repeat(9_000), "z".repeat(9_000), "short"].join("\n");
    const options = { limitTokens: 400, count: countCharacters, handle: null };
    expect(extractors.plain.extract(text, options)).toBeNull();
  });
});
