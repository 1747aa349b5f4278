import fc from "fast-check";
import { ContextBuilder } from "./context-builder.ts";

const VOCABULARY = "open file parse token window turn error value index session journal commit retry handle zone".split(
  " ",
);
const sentence = fc
  .array(fc.constantFrom(...VOCABULARY), { minLength: 0, maxLength: 120 })
  .map((words) => words.map((word, i) => (i % 9 === 8 ? `${word}\n` : word)).join(" "));
const file = fc.constantFrom("src/a.py", "src/b.py", "docs/c.md");

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("read" as const), file, result: sentence, thinking: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("write" as const), file, content: sentence }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("say" as const), text: sentence }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("ask" as const), text: sentence }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remember" as const), text: sentence }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pending" as const), file }) },
);

/** Any run of an agent: reads, writes, talk, memories, calls without a result, pins and references. */
export const anyContext: fc.Arbitrary<ContextBuilder> = fc
  .record({
    steps: fc.array(step, { maxLength: 30 }),
    pins: fc.array(fc.nat(60), { maxLength: 3 }),
    uses: fc.array(fc.tuple(fc.nat(60), fc.nat(30)), { maxLength: 8 }),
    cleared: fc.array(fc.nat(60), { maxLength: 3 }),
  })
  .map(({ steps, pins, uses, cleared }) => {
    const built = new ContextBuilder();
    built.system("You are careful.");
    built.user("Mend the parser.");
    for (const one of steps) {
      built.nextTurn();
      if (one.kind === "read") {
        built.call("read_file", { path: one.file }, one.result, one.thinking ? { thinking: "let me look" } : {});
      } else if (one.kind === "write") built.call("write_file", { path: one.file, content: one.content }, "ok");
      else if (one.kind === "say") built.assistant(one.text);
      else if (one.kind === "ask") built.user(one.text);
      else if (one.kind === "remember") {
        built.unit({ type: "memory_injection", part: { kind: "text", text: one.text, wire: null } });
      } else built.call("read_file", { path: one.file }, null);
    }
    const blocks = built.blocks;
    for (const pin of pins) blocks[pin % blocks.length]!.pinned = true;
    for (const [at, turn] of uses) {
      const block = blocks[at % blocks.length]!;
      block.lastReferencedTurn = Math.min(built.turn, block.turn + turn);
      block.referenceCount++;
    }
    for (const at of cleared) {
      const block = blocks[at % blocks.length]!;
      if (block.part.kind === "tool_result") block.state = "cleared";
    }
    return built;
  });
