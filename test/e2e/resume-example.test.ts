import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const AGENT = resolve(import.meta.dirname, "../../examples/resume/agent.mjs");

async function run(...args: string[]) {
  const child = spawn(process.execPath, [AGENT, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, output };
}

describe("the example of an agent that is killed in the middle of a tool call", () => {
  it("goes on in another process where it was, and does again what was done on other ground", async () => {
    using folder = temporaryFolder();
    const work = join(folder.path, "work");
    mkdirSync(work);
    for (const lines of [1, 2, 3, 4]) folder.write(`work/${lines}.txt`, "a line\n".repeat(lines));
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
    const args = [work, "--url", daemon.url];
    expect(await run(...args, "--die-in-call", "3")).toEqual({ code: null, signal: "SIGKILL", output: "" });
    const task = { session_id: "line-counter" };
    expect(await daemon.client.call("task.get", task)).toMatchObject({
      subtasks: [{ status: "done" }, { status: "done" }, { status: "in_progress" }, { status: "planned" }],
    });
    // Another file than the one that was counted.
    writeFileSync(join(work, "1.txt"), `${readFileSync(join(work, "1.txt"), "utf8")}one more\n`);
    expect(await run(...args)).toEqual({
      code: 0,
      signal: null,
      output: [
        "resumed in window line-counter#1, after turn 3",
        "interrupted: count_lines",
        "changed meanwhile: 1.txt",
        ...["1.txt: 2 lines", "2.txt: 2 lines", "3.txt: 3 lines", "4.txt: 4 lines"],
        "closed with checkpoint c5\n",
      ].join("\n"),
    });
  });
});
