import type { ToolUse } from "../../src/model/block.ts";
import type { Passage } from "../../src/model/passage.ts";

/** A result of a tool as a summariser reads it. */
export function resultPassage(text: string, name = "bash", args: unknown = {}, isError = false): Passage {
  const tool: ToolUse = { callId: "c1", name, argumentsText: JSON.stringify(args) };
  return { blockId: "b1", unitId: 1, turn: 1, type: "tool_result", tool, isError, text };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Orders of a shop: all alike but one that failed. */
export const ordersJson = (count = 80): string =>
  JSON.stringify({
    total: count,
    next_page: null,
    orders: numbers(count).map((n) => ({
      id: `ord-${1000 + n}`,
      status: n === 41 ? "payment_failed" : "shipped",
      customer: { name: `Customer ${n}`, city: "Lyon" },
      ...(n === 41 ? { error: "card declined: insufficient funds" } : {}),
    })),
  });

/** A service that starts, works, fails once, and repeats itself. */
export const serviceLog = (): string =>
  [
    "2025-11-21 14:00:00,001 INFO  boot: starting ingest-worker 4.2.1",
    ...numbers(120).map((n) => `2025-11-21 14:00:${String(n % 60).padStart(2, "0")},120 DEBUG poll: queue depth ${n}`),
    ...numbers(37).map(() => "2025-11-21 14:03:00,000 INFO  heartbeat"),
    "2025-11-21 14:03:02,411 WARNING pool: 19 of 20 connections in use",
    "2025-11-21 14:03:05,733 ERROR db: connection to 10.0.4.17:5432 refused",
    "2025-11-21 14:03:05,734 INFO  retry in 5 s",
    ...numbers(90).map((n) => `2025-11-21 14:04:${String(n % 60).padStart(2, "0")},500 DEBUG poll: queue depth ${n}`),
    "2025-11-21 14:09:59,999 INFO  worker exited with code 3",
  ].join("\n");

export const twoFileDiff = (): string =>
  [
    "diff --git a/src/queue.py b/src/queue.py",
    "index 70cbc3ba1..e820b662f 100644",
    "--- a/src/queue.py",
    "+++ b/src/queue.py",
    "@@ -10,40 +10,40 @@ class Queue:",
    ...numbers(30).map((n) => `     unchanged_${n} = ${n}`),
    "-        self.limit = 100",
    "+        self.limit = settings.QUEUE_LIMIT",
    ...numbers(30).map((n) => `     same_${n} = ${n}`),
    "diff --git a/tests/test_queue.py b/tests/test_queue.py",
    "new file mode 100644",
    "--- /dev/null",
    "+++ b/tests/test_queue.py",
    "@@ -0,0 +1,60 @@",
    ...numbers(60).map((n) => `+def test_case_${n}(): assert push(${n})`),
  ].join("\n");

export const fileListing = (): string =>
  [
    ...["src/manager", "src/store", "src/server"].flatMap((folder) => [
      `${folder}/`,
      ...numbers(40).map((n) => `${folder}/module_${n}.ts`),
      `${folder}/schema.sql`,
    ]),
    "package.json",
    "README.md",
  ].join("\n");

export const grepHits = (): string =>
  numbers(6)
    .flatMap((file) =>
      numbers(20).map((n) => `src/area_${file}/view.ts:${n * 7 + 3}:  const handle = openHandle(${file}, ${n});`),
    )
    .join("\n");

export const pytestRun = (): string =>
  [
    "============================= test session starts ==============================",
    "platform linux -- Python 3.11.4, pytest-8.3.3, pluggy-1.5.0",
    "rootdir: /app",
    "collected 142 items",
    "",
    ...numbers(140).map((n) => `tests/test_orders.py::test_case_${n} PASSED                [ ${n % 100}%]`),
    "tests/test_orders.py::test_refund FAILED                 [ 99%]",
    "",
    "=================================== FAILURES ===================================",
    "_________________________________ test_refund __________________________________",
    "",
    "    def test_refund():",
    "        order = make_order(total=120)",
    ">       assert refund(order) == 120",
    "E       assert 0 == 120",
    "E        +  where 0 = refund(Order(total=120))",
    "",
    "tests/test_orders.py:88: AssertionError",
    "=========================== short test summary info ============================",
    "FAILED tests/test_orders.py::test_refund - assert 0 == 120",
    "======================== 1 failed, 141 passed in 3.21s =========================",
  ].join("\n");

export const pythonTrace = (): string =>
  [
    "Running import of 2 files",
    ...numbers(30).map((n) => `read record block ${n} from the source`),
    "Traceback (most recent call last):",
    ...numbers(25).flatMap((n) => [
      `  File "/usr/lib/python3.11/site-packages/frame/core_${n}.py", line ${100 + n}, in call_${n}`,
      `    return inner_${n}(value)`,
    ]),
    '  File "/app/importer.py", line 57, in load',
    "    raise ImportFailed(path)",
    "importer.ImportFailed: orders-2025-11.csv: column 7 has no header",
  ].join("\n");

/** A made-up word, another for each number. */
const word = (n: number) =>
  ["ba", "ke", "lo", "mi", "nu", "ra"].map((part, at) => ((n >> at) & 1 ? part : "")).join("") || "so";

/** Prose with a decision, a rule and an odd number among much that says nothing. */
export const meetingNotes = (): string =>
  [
    "Notes of the weekly meeting",
    ...numbers(60).map((n) => `People talked about the weather and about ${word(n)}.`),
    "We decided to keep the old billing export until spring.",
    ...numbers(60).map((n) => `There was some more talk about ${word(n)} and ${word(n + 7)}.`),
    "Invoices must never be deleted, only cancelled.",
    ...numbers(60).map((n) => `And so it went on with ${word(n)} for a while.`),
    "The contract number is KX-20931-b.",
    ...numbers(40).map((n) => `Somebody asked when ${word(n)} was free again.`),
    "The meeting ended early.",
  ].join("\n");

/** One text of each kind, as a tool prints it, by the name of its extractor. */
export const OUTPUTS: Readonly<Record<string, Passage>> = {
  json: resultPassage(ordersJson(), "get_orders", { page: 1 }),
  diff: resultPassage(twoFileDiff(), "bash", { command: "git diff" }),
  test_output: resultPassage(pytestRun(), "bash", { command: "pytest -v" }),
  stack_trace: resultPassage(pythonTrace(), "bash", { command: "python importer.py" }),
  search_hits: resultPassage(grepHits(), "grep", { pattern: "openHandle" }),
  listing: resultPassage(fileListing(), "bash", { command: "find . -type f" }),
  log: resultPassage(serviceLog(), "bash", { command: "journalctl -u worker" }),
  plain: resultPassage(meetingNotes(), "read_document", { title: "Weekly" }),
};
