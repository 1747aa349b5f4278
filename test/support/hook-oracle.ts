import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { apply, closeBatch } from "../../src/manager/apply.ts";
import { decodePart } from "../../src/manager/part-codec.ts";
import { restore } from "../../src/manager/restore.ts";
import { hashesOf, readBody } from "../../src/manager/row.ts";
import { newSession, type Session } from "../../src/manager/session.ts";
import { toSnapshot } from "../../src/manager/snapshot.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { SessionKey } from "../../src/model/session-key.ts";
import { type Journal, openJournal } from "../../src/store/index.ts";
import { copyOfStore } from "./store-folder.ts";

/** What a client knows of a call it made. */
export type Fate = "acknowledged" | "refused" | "unanswered";

interface Call {
  readonly fate: Fate;
  /** Revision in the answer, where it had one. */
  readonly revision: number | null;
}

/** What is wrong with a store, by the ids of the calls concerned. */
export interface Verdict {
  readonly calls: number;
  readonly acknowledged: number;
  readonly unanswered: number;
  readonly refused: number;
  readonly stored: number;
  readonly sessions: number;
  /** Answered without an error, and not there. */
  readonly lost: string[];
  /** There more than once. */
  readonly doubled: string[];
  /** Answered with an error, and there all the same. */
  readonly refusedYetStored: string[];
  /** Never answered, and there: a crash may do that, an orderly stop must not. */
  readonly unansweredYetStored: string[];
  /** There, though nobody made the call. */
  readonly unknown: string[];
  /** Answered with another revision than the journal's rows come to. */
  readonly wrongRevisions: string[];
  /** Sessions whose rows do not verify, have gaps, or come to other figures than their snapshot, and why. */
  readonly broken: string[];
}

const MARK = /effect:([\w.-]+)/g;

/** A text that tells which call brought it. */
export function effectText(id: string, text = ""): string {
  return `effect:${id} ${text}`;
}

/**
 * Knows from outside the daemon which calls were made and what was answered, and holds what is stored against it. Each
 * call has an id of its own, which stands in a text that it brings.
 */
export class HookOracle {
  readonly #calls = new Map<string, Call>();

  /** A later fate of the same id (a retry's) replaces the earlier, unless that was an answer. */
  note(id: string, fate: Fate, answer: JsonObject | null = null): void {
    const known = this.#calls.get(id);
    if (known !== undefined && known.fate !== "unanswered") return;
    const revision = answer?.["revision"];
    this.#calls.set(id, { fate, revision: typeof revision === "number" ? revision : null });
  }

  #count(fate: Fate): number {
    let count = 0;
    for (const call of this.#calls.values()) if (call.fate === fate) count++;
    return count;
  }

  /** Judges the journal in a data folder that no daemon has open: a copy of it is read. */
  async judge(folder: string): Promise<Verdict> {
    const journal = await openJournal({ kind: "sqlite", path: copyOfStore(folder) });
    try {
      return await this.#judge(journal);
    } finally {
      await journal.close();
    }
  }

  async #judge(journal: Journal): Promise<Verdict> {
    const effects = new Map<string, number>();
    const wrongRevisions: string[] = [];
    const broken: string[] = [];
    const sessions = await journal.sessions({ closed: true });
    for (const { key, lastSessionSeq, summary } of sessions) {
      const { rows, brokenAt } = await journal.verify(key);
      if (brokenAt !== null) {
        broken.push(`${key.id}: the hash chain breaks at ${brokenAt}`);
        continue;
      }
      if (rows !== lastSessionSeq) broken.push(`${key.id}: ${rows} rows, the record says ${lastSessionSeq}`);
      const session = await refold(journal, key, (ids, revision, problem) => {
        if (problem !== null) broken.push(`${key.id}: ${problem}`);
        for (const id of ids) {
          effects.set(id, (effects.get(id) ?? 0) + 1);
          const answered = this.#calls.get(id)?.revision ?? revision;
          if (answered !== revision) wrongRevisions.push(`${id}: answered ${answered}, stored ${revision}`);
        }
      });
      const problem = await compareFigures(journal, session, JSON.parse(summary) as JsonObject);
      if (problem !== null) broken.push(`${key.id}: ${problem}`);
    }
    const idsOf = (wrong: (call: Call, stored: number) => boolean): string[] =>
      [...this.#calls].filter(([id, call]) => wrong(call, effects.get(id) ?? 0)).map(([id]) => id);
    return {
      calls: this.#calls.size,
      acknowledged: this.#count("acknowledged"),
      unanswered: this.#count("unanswered"),
      refused: this.#count("refused"),
      stored: effects.size,
      sessions: sessions.length,
      lost: idsOf(({ fate }, stored) => fate === "acknowledged" && stored === 0),
      doubled: [...effects].filter(([, stored]) => stored > 1).map(([id]) => id),
      refusedYetStored: idsOf(({ fate }, stored) => fate === "refused" && stored > 0),
      unansweredYetStored: idsOf(({ fate }, stored) => fate === "unanswered" && stored > 0),
      unknown: [...effects.keys()].filter((id) => !this.#calls.has(id)),
      wrongRevisions,
      broken,
    };
  }
}

/** Fails on anything that a crash must not do. */
export function expectNothingLost(verdict: Verdict): void {
  const { lost, doubled, refusedYetStored, unknown, wrongRevisions, broken } = verdict;
  expect({ lost, doubled, refusedYetStored, unknown, wrongRevisions, broken }).toEqual({
    lost: [],
    doubled: [],
    refusedYetStored: [],
    unknown: [],
    wrongRevisions: [],
    broken: [],
  });
}

/** The session from its first row on, without snapshots; tells of each row the ids it brought and the revision after it. */
async function refold(
  journal: Journal,
  key: SessionKey,
  tell: (ids: ReadonlySet<string>, revision: number, problem: string | null) => void,
): Promise<Session> {
  const session = newSession(key);
  for (let from = 1; ; ) {
    const rows = await journal.rows(key, { from, limit: 500 });
    for (const row of rows) {
      const { events } = readBody(row.body);
      const contents = await journal.contents([...new Set(hashesOf(events))]);
      const before = session.revision;
      for (const event of events) apply(session, event, (hash, callId) => decodePart(contents.get(hash) ?? "", callId));
      closeBatch(session, row.at);
      const step = session.revision - before;
      const problem =
        row.sessionSeq !== session.position
          ? `position ${row.sessionSeq} where ${session.position} is next`
          : step !== 0 && step !== 1
            ? `the revision rises by ${step} at position ${row.sessionSeq}`
            : null;
      const ids = new Set<string>();
      for (const event of events) {
        const text = event.type === "block.added" ? contents.get(event.data.hash) : JSON.stringify(event.data);
        for (const [, id] of (text ?? "").matchAll(MARK)) ids.add(id as string);
      }
      tell(ids, session.revision, problem);
      from = row.sessionSeq + 1;
    }
    if (rows.length === 0) return session;
  }
}

/** Held against the state that the daemon would load, and against its summary in the store; null when all agree. */
async function compareFigures(journal: Journal, folded: Session, summary: JsonObject): Promise<string | null> {
  const loaded = await restore(journal, folded.key);
  if (loaded === null) return "cannot be loaded";
  if (!isDeepStrictEqual(comparable(loaded), comparable(folded))) return "loads to another state than its rows come to";
  const figures = { turn: folded.turn, revision: folded.revision, component_tokens: folded.componentTokens };
  for (const [name, value] of Object.entries(figures)) {
    if (!isDeepStrictEqual(summary[name], value)) return `its summary's ${name} is not what its rows come to`;
  }
  let tokens = 0;
  for (const block of folded.blocks.values()) tokens += block.tokens;
  for (const message of folded.messages) tokens += message.overheadTokens;
  return tokens === folded.rawTokens ? null : `holds ${tokens} tokens and counts ${folded.rawTokens}`;
}

/** Without what is read between calls, and is in no row. */
function comparable(session: Session): unknown {
  const { plain, blocks, ...rest } = JSON.parse(toSnapshot(session)) as { plain: JsonObject; blocks: JsonObject[] };
  const { analysedThrough: _, snapshotPosition: __, ...fields } = plain;
  return {
    ...rest,
    plain: fields,
    blocks: blocks.map(({ referenceCount: _, lastReferencedTurn: __, ...block }) => block),
  };
}
