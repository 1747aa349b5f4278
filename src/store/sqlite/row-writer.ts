import { genesis, nextChain } from "../chain.ts";
import { conflict, usedIdempotencyKey } from "../errors.ts";
import type { AppendRequest } from "../journal.ts";
import type { Failpoint, UnsafeOptions } from "../options.ts";
import { type EncodedText, encodeText, encodeTextAside, isLargeText } from "../text-codec.ts";
import type { ClosedTable, Closing } from "./closed-table.ts";
import type { ContentTable, PreparedContent } from "./content-table.ts";
import type { JournalTable } from "./journal-table.ts";
import type { LearnedTable } from "./learned-table.ts";
import type { SessionRecord, SessionTable } from "./session-table.ts";

/** The tables of one store, over its one connection. */
export interface Tables {
  readonly sessions: SessionTable;
  readonly journal: JournalTable;
  readonly contents: ContentTable;
  readonly learned: LearnedTable;
  readonly closed: ClosedTable;
}

/** A request with its texts encoded: what is left is the transaction. */
export interface PreparedRow {
  readonly request: AppendRequest;
  readonly contents: readonly PreparedContent[];
  readonly snapshot: EncodedText | null;
  /** About how many bytes it brings, for the size of a batch. */
  readonly bytes: number;
}

/** The newest, and one to fall back on. */
const SNAPSHOTS_KEPT = 2;
/** What a row costs in the log beside its texts: a page for the row, one for its session, parts of index pages. */
const ROW_OVERHEAD = 1024;

/** Writes rows within the transaction that its caller holds. */
export class RowWriter {
  readonly #tables: Tables;
  readonly #failpoint: (name: Failpoint) => void;
  /** Control of the fault tests: idempotency keys that do not survive the process. */
  readonly #volatileKeys: Map<string, number> | null;
  #nextSeq: number;
  #committedNextSeq: number;

  constructor(options: { failpoint: (name: Failpoint) => void; unsafe: UnsafeOptions }, tables: Tables) {
    this.#tables = tables;
    this.#failpoint = options.failpoint;
    this.#volatileKeys = options.unsafe.dedupInMemory === true ? new Map() : null;
    this.#nextSeq = tables.journal.lastSeq() + 1;
    this.#committedNextSeq = this.#nextSeq;
  }

  get lastSeq(): number {
    return this.#committedNextSeq - 1;
  }

  /** A promise only when a text is so large that it is encoded on another thread. */
  prepare(request: AppendRequest): PreparedRow | Promise<PreparedRow> {
    const contents = this.#tables.contents.prepare(request.contents);
    const { snapshot } = request;
    if (contents instanceof Promise || (snapshot !== null && isLargeText(snapshot))) {
      return Promise.all([contents, snapshot === null ? null : encodeTextAside(snapshot)]).then((parts) =>
        measured(request, ...parts),
      );
    }
    return measured(request, contents, snapshot === null ? null : encodeText(snapshot));
  }

  /**
   * Writes the row and answers its `seq`. Throws a ContextdError before it has written anything when the row is
   * refused; any other error leaves the transaction to be rolled back.
   */
  write({ request, contents, snapshot }: PreparedRow): number {
    const { sessions, journal } = this.#tables;
    const { key, sessionSeq, idempotencyKey } = request;
    const known = sessions.find(key);
    const expected = (known?.lastSessionSeq ?? 0) + 1;
    if (sessionSeq !== expected) throw conflict(key, sessionSeq, expected);
    if (known !== null && idempotencyKey !== null && this.idempotentPosition(known.id, idempotencyKey) !== null) {
      throw usedIdempotencyKey(key);
    }

    for (const content of contents) this.#tables.contents.store(content);
    const contentHashes = [...new Set(request.contents.map(({ hash }) => hash))];
    const before = known?.chain ?? genesis(key, request.at);
    const storedKey = this.#volatileKeys === null ? idempotencyKey : null;
    const chain = nextChain(before, { ...request, idempotencyKey: storedKey }, contentHashes);
    const session = this.#writeSession(request, known, chain, before);
    this.#failpoint("mid_row");
    const seq = this.#nextSeq++;
    const row = { seq, sessionSeq, at: request.at, hook: request.hook, body: request.body };
    journal.insert(session, { row, idempotencyKey: storedKey, chain, contentHashes });
    if (idempotencyKey !== null) this.#volatileKeys?.set(`${session}/${idempotencyKey}`, sessionSeq);
    this.#noteClosing(request, known?.closed ?? false, { session, seq });
    const { learned } = request;
    if (learned) this.#tables.learned.write({ tenant: key.tenant, at: request.at, ...learned }, seq);
    if (snapshot !== null && request.snapshot !== null) {
      this.#tables.contents.useNamedIn(request.snapshot);
      journal.addSnapshot(key, session, sessionSeq, request.snapshot, snapshot, SNAPSHOTS_KEPT);
    }
    return seq;
  }

  #writeSession(request: AppendRequest, known: SessionRecord | null, chain: string, before: string): number {
    const { key, summary, closed } = request;
    const next = {
      key,
      createdAt: known?.createdAt ?? request.at,
      lastSessionSeq: request.sessionSeq,
      closed,
      summary,
      chain,
    };
    if (known === null) return this.#tables.sessions.insert(next, before);
    this.#tables.sessions.update({ ...next, id: known.id });
    return known.id;
  }

  #noteClosing({ key, closed }: AppendRequest, wasClosed: boolean, closing: Closing): void {
    if (closed === wasClosed) return;
    if (closed) this.#tables.closed.add(closing, key.tenant);
    else this.#tables.closed.remove(closing.session);
  }

  /** Position of the session's row that used the key, or null. */
  idempotentPosition(session: number, key: string): number | null {
    if (this.#volatileKeys === null) return this.#tables.journal.findIdempotencyKey(session, key);
    return this.#volatileKeys.get(`${session}/${key}`) ?? null;
  }

  /** The transaction is on disk: what it wrote is what the next one starts from. */
  committed(): void {
    this.#tables.sessions.committed();
    this.#tables.contents.committed();
    this.#committedNextSeq = this.#nextSeq;
  }

  rolledBack(): void {
    this.#tables.sessions.rolledBack();
    this.#tables.contents.rolledBack();
    this.#nextSeq = this.#committedNextSeq;
  }
}

function measured(
  request: AppendRequest,
  contents: readonly PreparedContent[],
  snapshot: EncodedText | null,
): PreparedRow {
  let bytes = ROW_OVERHEAD + request.body.length + (snapshot?.bytes.length ?? 0);
  bytes += request.learned?.body.length ?? 0;
  for (const { encoded } of contents) bytes += encoded?.bytes.length ?? 0;
  return { request, contents, snapshot, bytes };
}
