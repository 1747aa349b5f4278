import { restore } from "../../src/manager/restore.ts";
import { readBody } from "../../src/manager/row.ts";
import { type Journal, openJournal } from "../../src/store/index.ts";
import { readCheckpoint } from "../../src/window/checkpoint/index.ts";
import { HookOracle } from "./hook-oracle.ts";
import { copyOfStore } from "./store-folder.ts";

/** A session as its journal tells it. */
export interface StoredWindows {
  /** Windows that were opened and not closed. */
  readonly current: readonly string[];
  readonly opened: readonly string[];
  /** Ids of the checkpoints that the session names. */
  readonly checkpoints: readonly string[];
  /** Of the newest: its window and its reason. */
  readonly last: { readonly id: string; readonly windowId: string; readonly reason: string } | null;
}

/** What a store holds of windows, and what is wrong with it. */
export interface WindowVerdict {
  readonly sessions: ReadonlyMap<string, StoredWindows>;
  /** Broken chains, sessions of no or two windows, halves of a window's change, documents that cannot be read. */
  readonly findings: readonly string[];
}

/** Judges the windows of all sessions in a data folder that no daemon has open: a copy of it is read. */
export async function judgeWindows(folder: string): Promise<WindowVerdict> {
  const { broken } = await new HookOracle().judge(folder);
  const journal = await openJournal({ kind: "sqlite", path: copyOfStore(folder) });
  const findings = [...broken];
  const sessions = new Map<string, StoredWindows>();
  // Of a broken session nothing more can be said.
  const isBroken = (id: string) => broken.some((finding) => finding.startsWith(`${id}:`));
  try {
    for (const { key, closed } of await journal.sessions({ closed: true })) {
      if (isBroken(key.id)) continue;
      const told = (finding: string) => findings.push(`${key.id}: ${finding}`);
      const stored = await storedWindows(journal, key, told);
      sessions.set(key.id, stored);
      const expected = closed ? 0 : 1;
      if (stored.current.length !== expected) told(`${stored.current.length} windows are current`);
    }
  } finally {
    await journal.close();
  }
  return { sessions, findings };
}

type Key = Parameters<typeof restore>[1];

async function storedWindows(journal: Journal, key: Key, told: (finding: string) => void): Promise<StoredWindows> {
  const opened: string[] = [];
  const closed = new Set<string>();
  for (let from = 1; ; ) {
    const rows = await journal.rows(key, { from, limit: 500 });
    for (const { body } of rows) {
      const { events } = readBody(body);
      const types = events.map(({ type }) => type);
      for (const event of events) {
        if (event.type === "window.opened") opened.push(event.data.window_id);
        if (event.type === "window.closed") closed.add(event.data.window_id);
      }
      // What belongs to a window's change is in one row, or nowhere.
      const parts = ["window.closed", "window.opened"].map((type) => types.filter((each) => each === type).length);
      const isEnd = types.includes("session.closed") || types.includes("session.opened");
      if (!isEnd && parts[0] !== parts[1]) told("a row has half of a window's change");
    }
    if (rows.length === 0) break;
    from += rows.length;
  }
  const session = await restore(journal, key);
  if (session === null) throw new Error(`session ${key.id} cannot be read back`);
  const current = opened.filter((id) => !closed.has(id));
  if (!session.closed && session.windowId !== current.at(-1)) told("its state has another window than its events");
  for (const { id, hash } of session.checkpoints) {
    const body = (await journal.contents([hash])).get(hash);
    if (body === undefined || "malformed" in readCheckpoint(JSON.parse(body))) told(`checkpoint ${id} cannot be read`);
  }
  const last = session.checkpoints.at(-1);
  return {
    current,
    opened,
    checkpoints: session.checkpoints.map(({ id }) => id),
    last: last ? { id: last.id, windowId: last.windowId, reason: last.reason } : null,
  };
}
