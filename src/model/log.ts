/**
 * Where a part of the daemon writes what it has to say. pino's shape, so that a pino logger fits as it is.
 * `fields` hold ids, sizes, reasons and durations: never prompt text, tool output or secrets.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For callers that want silence: the manager in process, and tests. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
