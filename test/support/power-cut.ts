import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { DiskOperation } from "./disk-trace.ts";
import type { Random } from "./json-rpc-fuzz.ts";

/** What becomes of writes that no sync has covered: none is kept, some are, some are in part. */
export const FATES = ["drop", "subset", "torn"] as const;
export type Fate = (typeof FATES)[number];

/** Disks write whole sectors. */
const SECTOR = 512;

type Change = Extract<DiskOperation, { kind: "write" | "truncate" }>;

/**
 * Files as a disk holds them: what is durable, and what was written since and may be lost. Takes operations in order;
 * at any point the power can be cut.
 */
export class FragileDisk {
  /** By name: all of them are in one folder. */
  readonly #durable = new Map<string, Buffer>();
  #pending: Change[] = [];

  /** Everything in the folder is durable to begin with. */
  constructor(folder: string) {
    for (const name of readdirSync(folder)) this.#durable.set(name, readFileSync(join(folder, name)));
  }

  take(operation: DiskOperation): void {
    if (operation.kind === "write" || operation.kind === "truncate") this.#pending.push(operation);
    if (operation.kind !== "sync") return;
    const covered = this.#pending.filter(({ path }) => path === operation.path);
    this.#pending = this.#pending.filter(({ path }) => path !== operation.path);
    for (const change of covered) apply(this.#durable, change);
  }

  /** Writes the files as they are after a power cut now. */
  cut(target: string, fate: Fate, random: Random): void {
    mkdirSync(target, { recursive: true });
    const files = new Map(this.#durable);
    for (const change of fate === "drop" ? [] : this.#pending) {
      if (random() < 0.5) continue;
      const survived = fate === "torn" && change.kind === "write" ? torn(change, random) : change;
      apply(files, survived);
    }
    for (const [name, bytes] of files) writeFileSync(join(target, name), bytes);
  }
}

function apply(files: Map<string, Buffer>, change: Change): void {
  const name = basename(change.path);
  const before = files.get(name) ?? Buffer.alloc(0);
  if (change.kind === "truncate") {
    files.set(name, sized(before, change.length));
    return;
  }
  const after = Buffer.from(sized(before, Math.max(before.length, change.offset + change.bytes.length)));
  change.bytes.copy(after, change.offset);
  files.set(name, after);
}

function sized(file: Buffer, length: number): Buffer {
  return file.length >= length ? file.subarray(0, length) : Buffer.concat([file, Buffer.alloc(length - file.length)]);
}

/** The sectors up to some point. */
function torn(change: Extract<Change, { kind: "write" }>, random: Random): Change {
  const end = change.offset + change.bytes.length;
  const sectors = Math.ceil(end / SECTOR) - Math.floor(change.offset / SECTOR);
  const cut = (Math.floor(change.offset / SECTOR) + Math.floor(random() * sectors)) * SECTOR;
  return { ...change, bytes: change.bytes.subarray(0, Math.max(0, cut - change.offset)) };
}
