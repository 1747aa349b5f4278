import type { Failpoint } from "../options.ts";
import type { Connection } from "./driver.ts";

/** "ctxd" in the file's header: this is a journal of contextd and nothing else. */
export const APPLICATION_ID = 0x63747864;

/*
 * Rowid tables, since WITHOUT ROWID doubles the size of rows over 1 KB. Free text is a blob in an encoding of its
 * own (text-codec); TEXT holds only text that we made ourselves, which has neither NUL nor lone surrogates.
 * Columns that scans need stand before the long ones: SQLite skips the overflow pages of columns it passes by.
 */
const FIRST = `
CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,      -- tenant/id, escaped as within JSON strings
  created INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  closed INTEGER NOT NULL,
  chain BLOB NOT NULL,           -- of the last row
  anchor_seq INTEGER NOT NULL,   -- position of the last pruned row, 0 for none
  anchor BLOB NOT NULL,          -- chain of that row; of the genesis for none
  seal BLOB NOT NULL,
  summary TEXT NOT NULL
) STRICT;
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  sess INTEGER NOT NULL,
  sseq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  hook TEXT NOT NULL,
  idem TEXT,                     -- idempotency key, escaped as within JSON strings
  chain BLOB NOT NULL,
  refs BLOB NOT NULL,            -- hashes of the contents that the row names, 32 bytes each
  body TEXT NOT NULL,
  UNIQUE (sess, sseq)
) STRICT;
-- An index, not a table of its own: integrity_check compares it with the rows.
CREATE UNIQUE INDEX idem ON journal (sess, idem) WHERE idem IS NOT NULL;
CREATE TABLE content (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  enc INTEGER NOT NULL,
  n INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE TABLE snapshot (
  id INTEGER PRIMARY KEY,
  sess INTEGER NOT NULL,
  sseq INTEGER NOT NULL,
  enc INTEGER NOT NULL,
  n INTEGER NOT NULL,
  seal BLOB NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (sess, sseq)
) STRICT;
`;

/* What is known of models, by tenant. The sessions that taught it may be gone, so it names none of them. */
const LEARNED = `
CREATE TABLE learned (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,          -- escaped as within JSON strings, as is the model
  model TEXT NOT NULL,
  seq INTEGER NOT NULL,          -- of the journal's row that taught it last
  at INTEGER NOT NULL,
  seal BLOB NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (tenant, model)
) STRICT;
`;

/*
 * Closed sessions whose rows are all kept, in the order of closing. A table of its own, so that a list of them reads
 * nothing of the others, and the open ones' records, which change with each row, carry no index for it.
 */
const CLOSED_SESSIONS = `
CREATE TABLE closed_session (
  seq INTEGER PRIMARY KEY,       -- of the journal's row that closed it
  sess INTEGER NOT NULL UNIQUE,
  tenant TEXT NOT NULL           -- escaped as within JSON strings
) STRICT;
CREATE INDEX closed_of_tenant ON closed_session (tenant, seq);
INSERT INTO closed_session (seq, sess, tenant)
  SELECT j.seq, s.id, substr(s.key, 1, instr(s.key, '/') - 1)
  FROM session s JOIN journal j ON j.sess = s.id AND j.sseq = s.last_seq
  WHERE s.closed = 1 AND s.anchor_seq = 0;
`;

/** Step n takes a file from version n to n + 1; an empty file has version 0. Append only: never edit a step. */
const STEPS: readonly string[] = [FIRST, LEARNED, CLOSED_SESSIONS];

export const SCHEMA_VERSION = STEPS.length;

/** Brings the file from `version` to SCHEMA_VERSION in one transaction: a crash leaves the old version. */
export function migrate(connection: Connection, version: number, failpoint: (name: Failpoint) => void): void {
  if (version === SCHEMA_VERSION) return;
  connection.exec("BEGIN IMMEDIATE");
  try {
    for (const step of STEPS.slice(version)) connection.exec(step);
    failpoint("mid_migration");
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}
