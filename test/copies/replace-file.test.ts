import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, replaceFile } from "../../src/copies/replace-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The file system, which tells what it was asked for and is gone at one of the steps, having done half of it. */
function diskThatDiesAt(step: number) {
  const steps: string[] = [];
  const dies = (name: string) => {
    steps.push(name);
    if (steps.length > step) throw new Error("the power is gone");
  };
  const disk: Disk = {
    async mkdir(path, options) {
      dies("mkdir");
      await mkdir(path, options);
    },
    async open(path, flags, mode) {
      dies("open");
      const file = await open(path, flags, mode);
      return {
        async writeFile(text) {
          if (steps.length === step) await file.writeFile(text.slice(0, text.length / 2));
          dies("write");
          await file.writeFile(text);
        },
        async sync() {
          dies("sync");
          await file.sync();
        },
        close: () => file.close(),
      };
    },
    async rename(from, to) {
      dies("rename");
      await rename(from, to);
    },
  };
  return { disk, steps };
}

describe("replacing a file", () => {
  it("has the new text on the disk before it takes the old one's place", async () => {
    using folder = temporaryFolder();
    const { disk, steps } = diskThatDiesAt(Number.POSITIVE_INFINITY);
    await replaceFile(join(folder.path, "a", "b.md"), "text", disk);
    expect(steps).toEqual(["mkdir", "open", "write", "sync", "rename"]);
    expect(readFileSync(join(folder.path, "a", "b.md"), "utf8")).toBe("text");
    expect(statSync(join(folder.path, "a", "b.md")).mode & 0o077).toBe(0);
  });

  it("leaves the old text whole wherever a crash comes, and does not mind what is left of it", async () => {
    for (let step = 0; step < 5; step++) {
      using folder = temporaryFolder();
      const path = folder.write("copy.json", "the old text");
      await expect(replaceFile(path, "a new text of some length", diskThatDiesAt(step).disk)).rejects.toThrow();
      expect(readFileSync(path, "utf8")).toBe("the old text");
      await replaceFile(path, "newer");
      expect(readFileSync(path, "utf8")).toBe("newer");
      expect(existsSync(`${path}.new`)).toBe(false);
    }
  });
});
