import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const UNIT = resolve(import.meta.dirname, "../../config/systemd/contextd.service");
const ANALYZE = "/usr/bin/systemd-analyze";

describe("config/systemd/contextd.service", () => {
  const unit = readFileSync(UNIT, "utf8");

  it("lets the daemon write its data and nothing else", () => {
    for (const line of ["NoNewPrivileges=true", "ProtectSystem=strict", "StateDirectoryMode=0700", "UMask=0077"]) {
      expect(unit).toContain(`\n${line}\n`);
    }
    expect(unit).toMatch(/^MemoryMax=\d+G$/m);
    expect(unit).toContain("serve --config /etc/contextd/contextd.yaml --data /var/lib/contextd");
  });

  it("does not start again what a new start cannot cure: a refused config, an unusable store", () => {
    expect(unit).toContain("\nRestartPreventExitStatus=2 3\n");
  });

  it.skipIf(!existsSync(ANALYZE))("is well formed, as systemd says", () => {
    const { status, stderr } = spawnSync(ANALYZE, ["verify", "--man=no", UNIT], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
