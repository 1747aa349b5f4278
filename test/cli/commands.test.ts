import { describe, expect, test } from "vitest";
import { readYaml } from "../../src/config/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { cliWith } from "./cli-with.ts";

describe("contextd", () => {
  test("tells of its commands and exit codes", async () => {
    const { exitCode, stdout } = await cliWith(["--help"]);
    expect(exitCode).toBe(0);
    for (const command of ["serve", "check-config", "print-config", "print-schema", "tail", "replay"])
      expect(stdout).toContain(command);
    expect(stdout).toContain("Exit codes: 0 success, 1 failure, 2 usage or refused configuration, 3 unusable store");
  });

  test.each(["serve", "check-config", "print-config", "print-schema", "replay"])(
    "%s --help has examples and exit codes",
    async (command) => {
      const { exitCode, stdout } = await cliWith([command, "--help"]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/Examples:\n {2}contextd /);
      expect(stdout).toContain("Exit codes: 0");
    },
  );

  test("prints its version", async () => {
    expect(await cliWith(["--version"])).toEqual({ exitCode: 0, stdout: "1.2.3\n", stderr: "" });
  });

  test.each([
    [["serv"], /Did you mean serve/],
    [["serve", "--prot", "1"], /Did you mean --port/],
    [["check-config"], /missing required argument 'file'/],
    [["check-config", "a", "b"], /too many arguments/],
    [["print-schema", "--format", "xml"], /json, yaml, markdown/],
  ])("%j is a mistake of usage: exit code 2", async (argv, message) => {
    const { exitCode, stdout, stderr } = await cliWith(argv);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
  });

  test("without a command says what there is and exits 2", async () => {
    const { exitCode, stderr } = await cliWith([]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Usage: contextd");
  });
});

describe("contextd check-config", () => {
  test("accepts a good file", async () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "server: {port: 1}\n");
    const { exitCode, stdout, stderr } = await cliWith(["check-config", file]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(`${file} is good: profile default-128k, 8 profiles, store sqlite\n`);
  });

  test("refuses a bad one with the path, the legal values and exit code 2", async () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "eviction:\n  policy: hybird\nserver: {prot: 1}\n");
    const { exitCode, stdout, stderr } = await cliWith(["check-config", file]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^contextd: .*c\.yaml:2:3: eviction\.policy must be "hybrid", .*did you mean "hybrid"\?$/m);
    expect(stderr).toMatch(/^contextd: .*c\.yaml:3:10: server\.prot is an unknown key; did you mean "port"/m);
  });

  test("refuses a file that is not there", async () => {
    expect((await cliWith(["check-config", "/nowhere/c.yaml"])).exitCode).toBe(2);
  });

  test("checks the environment with it", async () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "");
    const { exitCode, stderr } = await cliWith(["check-config", file], { environment: { CONTEXTD_SERVER__PROT: "1" } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("environment CONTEXTD_SERVER__PROT");
  });
});

describe("contextd print-config", () => {
  test("prints a config that reads as itself", async () => {
    using folder = temporaryFolder();
    const first = await cliWith(["print-config"], { environment: { CONTEXTD_SERVER__PORT: "81" } });
    expect(first.exitCode).toBe(0);
    expect(readYaml(first.stdout).value).toMatchObject({ server: { port: 81 }, pressure: { thresholds: "auto" } });
    const file = folder.write("again.yaml", first.stdout);
    expect((await cliWith(["print-config", "--config", file])).stdout).toBe(first.stdout);
  });

  test("leaves secrets out", async () => {
    const environment = { CONTEXTD_STORE__URL: "postgres://user:canary-90@host/db" };
    const { stdout, stderr } = await cliWith(["print-config"], { environment });
    expect(readYaml(stdout).value).toMatchObject({ store: { url: "<secret>" } });
    expect(stdout + stderr).not.toContain("canary-90");
  });

  test("takes the file from the environment", async () => {
    using folder = temporaryFolder();
    const environment = { CONTEXTD_CONFIG: folder.write("c.yaml", "server: {port: 82}\n") };
    expect(readYaml((await cliWith(["print-config"], { environment })).stdout).value).toMatchObject({
      server: { port: 82 },
    });
  });

  test("prints what a profile comes to", async () => {
    const { stdout } = await cliWith(["print-config", "--profile", "local-8k"]);
    const settings = readYaml(stdout).value;
    expect(settings).toMatchObject({ max_context_tokens: 8192, eviction: { keep_recent_units: 4 } });
    expect(settings).not.toHaveProperty("server");
  });

  test("refuses an unknown profile", async () => {
    const { exitCode, stderr } = await cliWith(["print-config", "--profile", "local8k"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('did you mean "local-8k"?');
  });
});
