import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ContextdClient } from "../../src/client/index.ts";
import { tokenizers } from "../../src/tokens/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { percentile } from "../support/percentile.ts";
import { storeFolder } from "../support/store-folder.ts";

const BYTES = 1024 * 1024;
/** Three times the target of 100 ms. */
const LONGEST_MS = 300;
const PROBE_EVERY_MS = 100;
const HOOK_EVERY_MS = 50;
/** Time without a bomb, for comparison, ms. */
const IDLE_MS = 3000;
const COUNT_ERROR = 0.01;

const fill = (unit: string) => unit.repeat(Math.ceil(BYTES / Buffer.byteLength(unit)));
const BOMBS: Readonly<Record<string, string>> = {
  "letters a": fill("a"),
  spaces: fill(" "),
  "line ends": fill("\n"),
  emoji: fill("\u{1f600}"),
  "CJK of one kind": fill("漢"),
  "CJK of many kinds": Array.from({ length: BYTES / 3 }, (_, n) =>
    String.fromCharCode(0x4e00 + ((n * 7919) % 20_000)),
  ).join(""),
  base64: Buffer.from(Array.from({ length: (BYTES / 4) * 3 }, (_, n) => (n * n * 31 + n * 7) % 251)).toString("base64"),
  "special tokens": fill("<|endoftext|>"),
  "lone surrogates": "\ud800".repeat(BYTES / 3),
};

/** Tokens of each by our own tokenizer, which is held against tiktoken elsewhere, on texts that tiktoken can take. */
const exactTokens = new Map<string, number>();
beforeAll(() => {
  const tokenizer = tokenizers["o200k_base"]!();
  for (const [name, text] of Object.entries(BOMBS)) exactTokens.set(name, tokenizer.count(text));
});

const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

interface Delays {
  readonly livez: number[];
  readonly hook: number[];
}

/** Asks /livez and makes hooks of a session of its own, at fixed times, until `until` settles. */
async function delaysUntil(daemon: DaemonProcess, until: Promise<unknown>): Promise<Delays> {
  const delays: Delays = { livez: [], hook: [] };
  const client = new ContextdClient({ url: daemon.url, attempts: 1 });
  let over = false;
  const stop = until.finally(() => {
    over = true;
  });
  const repeat = async (everyMs: number, into: number[], act: () => Promise<unknown>): Promise<void> => {
    for (let at = performance.now(); !over; at += everyMs) {
      await pause(at - performance.now());
      const begun = performance.now();
      await act();
      into.push(performance.now() - begun);
    }
  };
  await Promise.all([
    stop,
    repeat(PROBE_EVERY_MS, delays.livez, () => livez(daemon.port)),
    repeat(HOOK_EVERY_MS, delays.hook, () => client.mutate("context.append", { session_id: "other", text: "a note" })),
  ]);
  return delays;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

function livez(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ port, path: "/livez", agent }, (response) => response.resume().once("end", resolve))
      .once("error", reject)
      .end();
  });
}

/** Each bomb as the result of a tool, one after the other; answers the milliseconds of each. */
async function drop(client: ContextdClient): Promise<Map<string, number>> {
  const took = new Map<string, number>();
  for (const [name, content] of Object.entries(BOMBS)) {
    const tool_call_id = `call ${name}`;
    await client.mutate("on_turn_start", {
      session_id: "bombed",
      messages: [{ role: "user", content: "Read it." }],
      reply: "decision",
    });
    const call = {
      id: tool_call_id,
      type: "function",
      function: { name: "read_file", arguments: JSON.stringify({ name }) },
    };
    await client.mutate("on_turn_end", {
      session_id: "bombed",
      message: { role: "assistant", content: null, tool_calls: [call] },
    });
    const begun = performance.now();
    await client.mutate("on_tool_result", { session_id: "bombed", tool_call_id, tool_name: "read_file", content });
    took.set(name, performance.now() - begun);
  }
  return took;
}

function told(delays: Delays): string {
  return Object.entries(delays)
    .map(
      ([what, ms]) =>
        `${what} p50 ${percentile(ms, 50).toFixed(1)}, p99 ${percentile(ms, 99).toFixed(1)}, max ${Math.max(...ms).toFixed(1)}`,
    )
    .join("; ");
}

describe.each([
  ["a window that takes them", 4_000_000],
  ["a window that they are cut for", 128_000],
])("tool results of 1 MiB of one kind of character, in %s", (_name, max_context_tokens) => {
  it("hold up neither the probes nor another session's hooks, and are counted well", async ({ annotate }) => {
    await using daemon = await DaemonProcess.start({ data: storeFolder() });
    const { client } = daemon;
    const settings = { eviction: { policy: "none" } };
    await client.mutate("session.open", { session_id: "bombed", model: "gpt-4o", max_context_tokens, settings });
    await client.mutate("session.open", { session_id: "other", model: "gpt-4o", max_context_tokens: 1_000_000 });
    // Both know their encoding before the comparison begins.
    await client.mutate("context.append", { session_id: "other", text: "a first note" });

    const idle = await delaysUntil(daemon, pause(IDLE_MS));
    let took = new Map<string, number>();
    const bombed = await delaysUntil(
      daemon,
      drop(client).then((times) => {
        took = times;
      }),
    );
    await annotate(`idle: ${told(idle)}`);
    await annotate(`bombed: ${told(bombed)}`);
    await annotate([...took].map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(", "));

    // Over what a busy machine does to an idle daemon.
    expect(Math.max(...bombed.livez)).toBeLessThan(Math.max(...idle.livez) + LONGEST_MS);
    expect(Math.max(...bombed.hook)).toBeLessThan(Math.max(...idle.hook) + LONGEST_MS);
    const { blocks } = await client.call<{ blocks: BlockReport[] }>("context.get", { session_id: "bombed" });
    const results = blocks.filter(({ type }) => type === "tool_result");
    expect(results).toHaveLength(Object.keys(BOMBS).length);
    for (const [n, name] of Object.keys(BOMBS).entries()) {
      const { original_tokens, approximate } = results[n] as BlockReport;
      const exact = exactTokens.get(name) as number;
      const error = Math.abs(original_tokens - exact) / exact;
      expect(approximate || error <= COUNT_ERROR, `${name}: ${original_tokens} counted, ${exact} exact`).toBe(true);
    }
  });
});

interface BlockReport {
  readonly type: string;
  readonly original_tokens: number;
  readonly approximate: boolean;
}
