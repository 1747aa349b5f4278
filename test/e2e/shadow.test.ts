import { join } from "node:path";
import { expect, it } from "vitest";
import { DaemonProcess, runCommand } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Report {
  readonly policies: readonly {
    readonly policy: string;
    readonly turns: number;
    readonly line_recall: number;
    readonly relative_cost: number;
  }[];
  readonly sessions: readonly { readonly ended: string | null; readonly calls_behind: number }[];
}

it("shadow mode measures candidates beside the live policy on the demo, by RPC and in /metrics", async () => {
  using folder = temporaryFolder();
  const config = folder.write(
    "shadow.yaml",
    "shadow:\n  candidates:\n    same: {}\n    bare: { eviction: { policy: sliding_window } }\n",
  );
  await using daemon = await DaemonProcess.start({ data: join(folder.path, "data"), args: ["--config", config] });
  const args = ["demo", "--url", daemon.url, "--speed", "0", "--turns", "12", "--sessions", "3"];
  expect(await runCommand(args)).toMatchObject({ code: 0, stderr: "" });
  await expect
    .poll(async () => (await daemon.client.call<Report>("shadow.report", {})).sessions, { timeout: 60_000 })
    .toMatchObject(Array.from({ length: 3 }, () => ({ ended: "closed", calls_behind: 0 })));
  const { policies } = await daemon.client.call<Report>("shadow.report", {});
  const [live, same, bare] = policies;
  expect(live).toMatchObject({ policy: "live", turns: 36 });
  // None of these three agents' contexts is ever refused by its provider: nothing reaches the live policy alone.
  expect(same).toEqual({ ...live, policy: "same" });
  expect(bare?.line_recall).toBeLessThan(live?.line_recall ?? 0);
  const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
  for (const policy of ["live", "same", "bare"]) {
    expect(metrics).toContain(`contextd_shadow_turns_total{policy="${policy}"} 36`);
  }
  expect(metrics).toContain("contextd_shadow_sessions 0");
});
