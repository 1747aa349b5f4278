import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyPath } from "../../src/copies/copy-path.ts";
import { CopyWriter, type NoteForPeople, notesCopy } from "../../src/copies/index.ts";
import type { PublishedEvent } from "../../src/model/events.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

const written = (session: string, profile = "default"): PublishedEvent => ({
  type: "note.written",
  data: { note_id: "n1", category: "misc", importance: "normal", text: "x", tokens: 1, replaces: null },
  sequence: 1,
  tenant: "acme",
  session,
  at: 0,
  labels: { agent: "a", profile, model: "m" },
});
const note = (note_id: string, text: string): NoteForPeople => ({
  note_id,
  category: "bugs",
  importance: "high",
  text,
});

function notesFile(notes: () => readonly NoteForPeople[], file: string | null = join(folder.path, "deep", "notes.md")) {
  const warnings: unknown[] = [];
  const log = { warn: (about: unknown) => void warnings.push(about) };
  const copy = notesCopy({
    fileOf: (profile) => (profile === "silent" ? null : file),
    notesOf: async () => notes(),
  });
  const observer = new CopyWriter({ copies: [copy], log });
  return { observer, warnings };
}

describe("the notes file", () => {
  it("has a session's notes whole, whatever the agent called the session", async () => {
    const id = "../../etc/passwd\u0000\n*";
    const { observer } = notesFile(() => [note("n2", "Second.\nLine."), note("n1", "First.")]);
    observer.observe([written(id)]);
    await observer.close();
    const [name = ""] = readdirSync(join(folder.path, "deep"));
    expect(name).toMatch(/^notes\.[A-Za-z0-9_-]+-[0-9a-f]{12}\.md$/);
    const path = join(folder.path, "deep", name);
    expect(readFileSync(path, "utf8")).toBe(
      `# Notes of ${JSON.stringify(id)}\n\n## n2 (bugs, high)\n\nSecond.\nLine.\n\n## n1 (bugs, high)\n\nFirst.\n`,
    );
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it("keeps sessions and tenants apart whose names look alike", () => {
    const paths = [
      copyPath("/d/notes", { tenant: "a", id: "x/y" }, ".md"),
      copyPath("/d/notes", { tenant: "a", id: "x_y" }, ".md"),
      copyPath("/d/notes", { tenant: "b", id: "x_y" }, ".md"),
    ];
    expect(new Set(paths).size).toBe(3);
    for (const path of paths) {
      expect(dirname(path)).toBe("/d");
      expect(basename(path)).toMatch(/^notes\.x_y-\w+\.md$/);
    }
  });

  it("is written once for notes that change while another file is being written", async () => {
    let asked = 0;
    const { observer } = notesFile(() => [note("n1", `asked ${++asked}`)]);
    for (let times = 0; times < 50; times++) observer.observe([written("s")]);
    await observer.close();
    expect(asked).toBeLessThanOrEqual(2);
    const [name = ""] = readdirSync(join(folder.path, "deep"));
    expect(readFileSync(join(folder.path, "deep", name), "utf8")).toContain(`asked ${asked}`);
  });

  it("is none where the config names none", async () => {
    const { observer } = notesFile(() => []);
    observer.observe([written("s", "silent")]);
    await observer.close();
    expect(existsSync(join(folder.path, "deep"))).toBe(false);
  });

  it("that cannot be written is told without its words, and the next note tries again", async () => {
    const blocked = folder.write("blocked", "no folder");
    let file = join(blocked, "notes.md");
    const warnings: unknown[] = [];
    const observer = new CopyWriter({
      copies: [notesCopy({ fileOf: () => file, notesOf: async () => [note("n1", "secret words")] })],
      log: { warn: (about: unknown) => void warnings.push(about) },
    });
    observer.observe([written("s")]);
    await observer.close();
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).not.toContain("secret words");
    file = join(folder.path, "notes.md");
    observer.observe([written("s")]);
    await observer.close();
    expect(readdirSync(folder.path).some((name) => name.startsWith("notes.s-"))).toBe(true);
  });
});
