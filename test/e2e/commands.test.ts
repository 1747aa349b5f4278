import { describe, expect, it } from "vitest";
import { runCommand } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the commands, as processes", () => {
  it.each(["serve", "check-config", "print-config", "print-schema", "tail", "replay", "export", "demo"])(
    "%s --help tells of the options and the exit codes",
    async (command) => {
      const { code, stdout, stderr } = await runCommand([command, "--help"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`Usage: contextd ${command}`);
      expect(stdout).toMatch(/Exit codes: 0 /);
    },
  );

  it("check-config ends with 0 for the reference config and for every profile of the package", async () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "profile: research\n");
    for (const path of ["config/contextd.yaml", file]) {
      const { code, stdout, stderr } = await runCommand(["check-config", path]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`${path} is good`);
    }
  });

  it("print-config prints what holds, and no secret of file, environment or secret file", async () => {
    using folder = temporaryFolder();
    const secret = "postgres://contextd:s3cr3t-word@db/contextd";
    const inFile = folder.write("c.yaml", `store: {kind: postgres, url: "${secret}"}\nserver: {port: 7421}\n`);
    const secretFile = folder.write("url", `${secret}\n`);
    const runs = [
      runCommand(["print-config", "--config", inFile]),
      runCommand(["print-config"], { CONTEXTD_STORE__URL: secret, CONTEXTD_SERVER__PORT: "7421" }),
      runCommand(["print-config"], { CONTEXTD_STORE__URL_FILE: secretFile, CONTEXTD_SERVER__PORT: "7421" }),
    ];
    for (const { code, stdout, stderr } of await Promise.all(runs)) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^ {2}port: 7421$/m);
      expect(stdout).toMatch(/^ {2}url: <secret>$/m);
      expect(stdout).not.toContain("s3cr3t-word");
    }
  });

  it("an environment variable that names no key is refused with 2, as a key of the file would be", async () => {
    const { code, stderr } = await runCommand(["print-config"], { CONTEXTD_SERVER__PROT: "7421" });
    expect(code).toBe(2);
    expect(stderr).toContain("CONTEXTD_SERVER__PROT");
  });
});
