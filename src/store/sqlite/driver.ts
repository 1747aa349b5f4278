import { isWellFormed } from "../../model/content-hash.ts";

/*
 * The seam between the store and its SQLite binding: the only file that touches one. libsql aborts the process,
 * beyond any catch, on a boolean, a lone buffer or a lone object where an array of values is due, and on reading
 * TEXT that is not UTF-8; it cuts TEXT at NUL and ignores surplus values. Hence the guards, and the rule that
 * the store selects TEXT as CAST(… AS BLOB).
 */

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = readonly SqlValue[];

/** A prepared statement. Values are always one array, exactly as many as the statement has question marks. */
export interface Statement {
  run(values: readonly SqlValue[]): void;
  get(values: readonly SqlValue[]): SqlRow | undefined;
  all(values: readonly SqlValue[]): SqlRow[];
}

export interface Connection {
  readonly inTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Driver {
  readonly name: string;
  /** `busyMs`: how long to wait for the lock of another process. */
  open(file: string, busyMs: number): Connection;
}

/** A value that must not reach the binding: a fault of the one row that it belongs to. */
export class BindingError extends TypeError {}

const MAX_BLOB = 64 * 1024 * 1024;
const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

function fault(value: unknown): string | null {
  switch (typeof value) {
    case "string":
      if (value.includes("\0")) return "text with NUL";
      return isWellFormed(value) ? null : "text with a lone surrogate";
    case "number":
      return Number.isFinite(value) ? null : "a number that is not finite";
    case "bigint":
      return value >= MIN_INT && value <= MAX_INT ? null : "an integer of more than 64 bits";
    case "object":
      if (value === null) return null;
      if (!(value instanceof Uint8Array)) return "an object";
      return value.byteLength <= MAX_BLOB ? null : `a blob of ${value.byteLength} bytes (at most ${MAX_BLOB})`;
    default:
      return typeof value;
  }
}

/** Throws BindingError unless `values` is an array of `count` values that every binding stores as they are. */
export function checkBindings(values: unknown, count: number): void {
  if (!Array.isArray(values)) throw new BindingError("values must be one array");
  if (values.length !== count) throw new BindingError(`${values.length} values for ${count} question marks`);
  for (let at = 0; at < count; at++) {
    const wrong = fault(values[at]);
    if (wrong !== null) throw new BindingError(`value ${at + 1} is ${wrong}`);
  }
}

export type Fault = "row" | "busy" | "full" | "io" | "corrupt" | "not_a_database" | "access" | "other";

const FAULTS: readonly (readonly [prefix: string, primaryCode: number, fault: Fault])[] = [
  ["SQLITE_CONSTRAINT", 19, "row"],
  ["SQLITE_MISMATCH", 20, "row"],
  ["SQLITE_TOOBIG", 18, "row"],
  ["SQLITE_BUSY", 5, "busy"],
  ["SQLITE_LOCKED", 6, "busy"],
  ["SQLITE_FULL", 13, "full"],
  ["SQLITE_IOERR", 10, "io"],
  ["SQLITE_CORRUPT", 11, "corrupt"],
  ["SQLITE_NOTADB", 26, "not_a_database"],
  ["SQLITE_CANTOPEN", 14, "access"],
  ["SQLITE_PERM", 3, "access"],
  ["SQLITE_READONLY", 8, "access"],
];

/** What went wrong, by the code that the binding put on its error. An error that is not SQLite's blames the row. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return "row";
  const { code } = error;
  // libsql names no extended code that it does not know, but gives its number.
  const raw = "rawCode" in error && typeof error.rawCode === "number" ? error.rawCode & 0xff : -1;
  if (!code.includes("SQLITE")) return code.startsWith("ERR_") ? "row" : "other";
  return FAULTS.find(([prefix, primary]) => code.startsWith(prefix) || raw === primary)?.[2] ?? "other";
}

/** What both bindings offer of better-sqlite3's interface, as far as it is used here. */
interface NativeStatement {
  raw(): NativeStatement;
  readonly reader: boolean;
  run(values: readonly SqlValue[]): unknown;
  get(values: readonly SqlValue[]): unknown;
  all(values: readonly SqlValue[]): unknown[];
}
interface NativeDatabase {
  readonly inTransaction: boolean;
  exec(sql: string): unknown;
  prepare(sql: string): NativeStatement;
  close(): unknown;
}
type NativeConstructor = new (file: string, options: { timeout: number }) => NativeDatabase;

class GuardedStatement implements Statement {
  readonly #native: NativeStatement;
  readonly #count: number;

  constructor(native: NativeStatement, sql: string) {
    this.#native = native.reader ? native.raw() : native;
    // No statement of ours has a question mark within a literal.
    this.#count = sql.split("?").length - 1;
  }

  run(values: readonly SqlValue[]): void {
    checkBindings(values, this.#count);
    this.#native.run(values);
  }

  get(values: readonly SqlValue[]): SqlRow | undefined {
    checkBindings(values, this.#count);
    return this.#native.get(values) as SqlRow | undefined;
  }

  all(values: readonly SqlValue[]): SqlRow[] {
    checkBindings(values, this.#count);
    return this.#native.all(values) as SqlRow[];
  }
}

class GuardedConnection implements Connection {
  readonly #native: NativeDatabase;

  constructor(native: NativeDatabase) {
    this.#native = native;
  }

  get inTransaction(): boolean {
    return this.#native.inTransaction;
  }

  exec(sql: string): void {
    this.#native.exec(sql);
  }

  prepare(sql: string): Statement {
    return new GuardedStatement(this.#native.prepare(sql), sql);
  }

  close(): void {
    this.#native.close();
  }
}

function driver(name: string, Native: NativeConstructor): Driver {
  return { name, open: (file, busyMs) => new GuardedConnection(new Native(file, { timeout: busyMs })) };
}

const LOADERS = {
  "better-sqlite3": async () => {
    // Optional: absent on Node.js 20, so neither its types nor its code may be needed to compile.
    const name: string = "better-sqlite3";
    return driver(name, ((await import(name)) as { default: NativeConstructor }).default);
  },
  libsql: async () => driver("libsql", (await import("libsql")).default as unknown as NativeConstructor),
};

export type DriverName = keyof typeof LOADERS;

/** Bindings that this Node.js can load, the preferred one first. better-sqlite3 13 crashes below Node-API 10. */
export function driverNames(): DriverName[] {
  return Number(process.versions["napi"]) >= 10 ? ["better-sqlite3", "libsql"] : ["libsql"];
}

/** The named binding, or the first that loads. */
export async function loadDriver(name?: DriverName): Promise<Driver> {
  const failures: unknown[] = [];
  for (const candidate of name === undefined ? driverNames() : [name]) {
    try {
      return await LOADERS[candidate]();
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `no SQLite binding loads: ${failures.map(String).join("; ")}`);
}
