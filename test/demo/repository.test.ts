import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Repository } from "../../src/demo/repository.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

function checkout(): TemporaryFolder {
  const folder = temporaryFolder();
  for (const name of ["src/core", "test/fixtures/runs", "data", ".git"])
    mkdirSync(join(folder.path, name), { recursive: true });
  folder.write("package.json", "{}\n");
  folder.write(".env", "SECRET=1\n");
  folder.write(
    "src/core/sum.ts",
    `/* built in ${folder.path}/src */\nexport function sum() {}\nexport const one = 1;\n`,
  );
  folder.write("src/core/blob.bin", "\u0000");
  folder.write("src/empty.ts", "");
  folder.write("test/fixtures/runs/run.jsonl", "{}\n");
  folder.write("data/contextd.json", "{}\n");
  return folder;
}

describe("the repository that the demo's agents see", () => {
  it("holds the package's text files and nothing else of its folder", () => {
    using folder = checkout();
    const outside = folder.write("data/outside.ts", "export const secret = 1;\n");
    symlinkSync(outside, join(folder.path, "src/link.ts"));
    const repository = new Repository(folder.path);
    expect(repository.files.map((file) => file.path)).toEqual(["package.json", "src/core/sum.ts"]);
  });

  it.each(["../package.json", "/etc/hostname", ".env", "src/../.env", "data/contextd.json", "src/link.ts"])(
    "does not read %s",
    (path) => {
      using folder = checkout();
      const repository = new Repository(folder.path);
      expect(repository.read(path, 1, 10)).toEqual({ text: `${path}: no such file`, isError: true });
      expect(repository.textOf(path)).toBeUndefined();
      expect(repository.readAll([path]).text).toContain("no such file");
    },
  );

  it("gives the lines asked for, and does not tell where it lies", () => {
    using folder = checkout();
    const repository = new Repository(folder.path);
    expect(repository.read("src/core/sum.ts", 1, 1)).toEqual({ text: "/* built in ./src */", isError: false });
    expect(repository.read("src/core/sum.ts", 2, 1).text).toBe("export function sum() {}");
    expect(repository.grep("export", "src", 1).text).toBe("src/core/sum.ts:2: export function sum() {}");
    expect(repository.grep("(?=", "src", 5).text).toBe("no matches");
    expect(repository.list("src", 5).text).toMatch(/^src\/core\/sum\.ts \(\d+ bytes\)$/);
  });

  it.each([
    "rm -r src",
    "git push",
    "git log --oneline --output=x",
    "git log --oneline -n 3 -- ..",
    "wc -l /etc/hostname",
    "wc -l src/core/sum.ts;ls",
    "node --eval 1",
    "ls -p $HOME",
    "",
  ])("does not run %j", async (command) => {
    using folder = checkout();
    const outcome = await new Repository(folder.path).run(command);
    expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining("only commands that read") });
  });

  it("runs commands that read, and tells of one that fails as the agent's tool would", async () => {
    using folder = checkout();
    const repository = new Repository(folder.path);
    expect((await repository.run("node --version")).text.trim()).toBe(process.version);
    expect((await repository.run("ls -p src")).text.split("\n")).toContain("core/");
    expect((await repository.run("wc -l src/core/sum.ts")).text).toMatch(/^\s*3 src\/core\/sum\.ts/);
    const failed = await repository.run("git log --oneline -n 3");
    expect(failed.isError).toBe(true);
    expect(failed.text).not.toContain(folder.path);
  });
});
