// The manager in this process, over a journal in a temporary folder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContextWindowManager } from "../../dist/index.js";

export async function inProcessManager() {
  const data = mkdtempSync(join(tmpdir(), "contextd-bench-"));
  const manager = await ContextWindowManager.open({ data });
  return {
    call: (name, params) => manager.call(name, params),
    async close() {
      await manager.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
