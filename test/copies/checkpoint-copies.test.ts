import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyPath } from "../../src/copies/copy-path.ts";
import { CopyWriter, checkpointCopies } from "../../src/copies/index.ts";
import type { PublishedEvent } from "../../src/model/events.ts";
import { type CheckpointDocument, markdownOf, readCheckpoint } from "../../src/window/checkpoint/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { documentOf } from "../window/checkpoint/document-of.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

const saved = (session: string, checkpointId: string, profile = "default"): PublishedEvent =>
  ({
    type: "checkpoint.saved",
    data: { checkpoint_id: checkpointId },
    sequence: 1,
    tenant: "acme",
    session,
    at: 0,
    labels: { agent: "a", profile, model: "m" },
  }) as unknown as PublishedEvent;

type DocumentOf = (checkpointId: string) => CheckpointDocument | null;

function copiesOf(documents: DocumentOf, files: { state?: string | null; progress?: string | null } = {}) {
  const warnings: unknown[] = [];
  const { state = join(folder.path, "out", "state.json"), progress = join(folder.path, "out", "progress") } = files;
  const writer = new CopyWriter({
    copies: checkpointCopies({
      stateFileOf: (profile) => (profile === "silent" ? null : state),
      progressFileOf: (profile) => (profile === "silent" ? null : progress),
      documentOf: async (_key, checkpointId) => documents(checkpointId),
    }),
    log: { warn: (about: unknown) => void warnings.push(about) },
  });
  return { writer, warnings };
}

const out = () => readdirSync(join(folder.path, "out")).sort();
const textOf = (name: string) => readFileSync(join(folder.path, "out", name), "utf8");
const numbered = (checkpointId: string) => documentOf({ checkpoint_id: checkpointId });

describe("the copies of a checkpoint", () => {
  it("are its document, which can be read back, and its page", async () => {
    const { writer } = copiesOf(numbered);
    writer.observe([saved("s", "c1")]);
    await writer.close();
    const [progress = "", state = ""] = out();
    expect(progress).toMatch(/^progress\.s-[0-9a-f]{12}\.md$/);
    expect(state).toMatch(/^state\.s-[0-9a-f]{12}\.json$/);
    expect(readCheckpoint(JSON.parse(textOf(state)))).toEqual({ document: numbered("c1") });
    expect(textOf(progress)).toBe(markdownOf(numbered("c1")));
    expect(statSync(join(folder.path, "out", state)).mode & 0o077).toBe(0);
  });

  it("are of the newest one where several are saved at once, and each is read once", async () => {
    const asked: string[] = [];
    const { writer } = copiesOf((checkpointId) => {
      asked.push(checkpointId);
      return numbered(checkpointId);
    });
    writer.observe(Array.from({ length: 20 }, (_, n) => saved("s", `c${n + 1}`)));
    writer.observe([saved("s", "c21")]);
    await writer.close();
    expect(asked).toEqual(["c21", "c21"]);
    expect(JSON.parse(textOf(out()[1] ?? ""))).toMatchObject({ checkpoint_id: "c21" });
  });

  it("stay as they are where the checkpoint is no longer there", async () => {
    const { writer, warnings } = copiesOf((id) => (id === "c1" ? numbered(id) : null));
    writer.observe([saved("s", "c1")]);
    await writer.close();
    writer.observe([saved("s", "c2")]);
    await writer.close();
    expect(JSON.parse(textOf(out()[1] ?? ""))).toMatchObject({ checkpoint_id: "c1" });
    expect(warnings).toEqual([]);
  });

  it("are none where the config names none, and of no other event", async () => {
    const { writer } = copiesOf(numbered);
    writer.observe([saved("s", "c1", "silent"), { ...saved("s", "c1"), type: "turn.started" } as PublishedEvent]);
    await writer.close();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("are written one without the other, and a failure is told without a word of the checkpoint", async () => {
    const blocked = folder.write("blocked", "no folder");
    const { writer, warnings } = copiesOf(numbered, { state: join(blocked, "state.json") });
    writer.observe([saved("s", "c1")]);
    await writer.close();
    expect(out()).toHaveLength(1);
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).not.toContain("parser");
  });

  it("never leave their folder, whatever the session is called", async () => {
    const ids = [
      "../x",
      "../../../../etc/passwd",
      "..",
      ".",
      "/",
      "a\u0000b",
      "x".repeat(4096),
      "\u202egpj.exe",
      "CON",
      "a\nb",
      "é\ud800",
      "x.json",
      " ",
    ];
    const { writer, warnings } = copiesOf(numbered);
    mkdirSync(join(folder.path, "out"));
    writer.observe(ids.map((id) => saved(id, "c1")));
    await writer.close();
    expect(warnings).toEqual([]);
    expect(readdirSync(folder.path)).toEqual(["out"]);
    expect(out()).toHaveLength(2 * ids.length);
    for (const name of out())
      expect(name).toMatch(/^(?:state|progress)\.[A-Za-z0-9_-]{1,64}-[0-9a-f]{12}\.(?:json|md)$/);
    for (const id of ids) expect(dirname(copyPath("/d/state", { tenant: "../t", id }, ".json"))).toBe("/d");
  });
});
