import { pino } from "pino";
import type { Log } from "./model/log.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** The daemon's log. Also a `Log`, which is all that most of the daemon needs. */
export interface Logger extends Log {
  fatal(fields: object, message: string): void;
  /** A logger whose lines all carry `fields`. */
  child(fields: object): Logger;
  /** Least severe level that is written; may be changed while running. */
  level: string;
  /** Writes what is still buffered, before the process ends. */
  flush(): void;
}

/** Takes whole lines, each with its line end. */
export interface LineSink {
  write(line: string): void;
  flushSync?(): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** One line for people instead of JSON. */
  readonly readable: boolean;
}

/** Longest text that a field or message holds, in characters: room for an id or a reason, not for content. */
const FIELD_CHARACTERS = 256;
const MESSAGE_CHARACTERS = 1000;
const STACK_FRAMES = 20;
/** Lines kept for a reader of standard error that has stalled, in bytes; the rest is lost rather than waited for. */
const BUFFERED_BYTES = 8 << 20;

/**
 * A logger of JSON lines, or of readable ones. Fields are flat ids and sizes: longer text is cut, nested values
 * are replaced by their size, and errors are written by `safeError`, so that no prompt, tool output or secret
 * that strays into a field is written whole.
 */
export function createLog({ level, readable }: LogOptions, sink: LineSink = standardError()): Logger {
  const destination: LineSink = readable ? { write: (line) => sink.write(readableLine(line)) } : sink;
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: safeFields },
      // Fields, and those of a child, are safe already; pino's own serializer would add an error's properties again.
      serializers: { err: (value: unknown) => value },
    },
    destination,
  );
  return wrap(logger, sink);
}

/** Standard error that never makes the daemon wait for its reader. */
function standardError(): LineSink {
  return pino.destination({ fd: 2, sync: false, maxLength: BUFFERED_BYTES });
}

/**
 * pino takes an error in place of fields, uses its message as the line's, and formats no fields of a child: the
 * wrapper leaves no such ways.
 */
function wrap(logger: pino.Logger, sink: LineSink): Logger {
  const writer = (level: "debug" | "info" | "warn" | "error" | "fatal") => (fields: object, message: string) =>
    logger[level](fields instanceof Error ? { err: fields } : fields, cut(message, MESSAGE_CHARACTERS));
  return {
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
    fatal: writer("fatal"),
    child: (fields) => wrap(logger.child(safeFields(fields)), sink),
    get level() {
      return logger.level;
    },
    set level(level) {
      logger.level = level;
    },
    flush: () => sink.flushSync?.(),
  };
}

/** What a log may say of an error. */
export interface SafeError {
  readonly name: string;
  readonly message: string;
  /** Stable reason of a ContextdError, or the system's code. */
  readonly reason?: string;
  /** Where it came from, without the message. */
  readonly stack?: string;
  /** Names and reasons of what caused it, outermost first: never their messages, which may quote what they read. */
  readonly causes?: readonly string[];
}

/** An error without what it carries: no params, bodies, data or properties of its own. */
export function safeError(error: unknown): SafeError {
  if (!(error instanceof Error)) return { name: typeof error, message: "a value that is no Error was thrown" };
  const reason = reasonOf(error);
  const stack = framesOf(error);
  const causes = causesOf(error);
  return {
    name: error.name,
    message: messageOf(error),
    ...(reason === undefined ? {} : { reason }),
    ...(stack === "" ? {} : { stack }),
    ...(causes.length === 0 ? {} : { causes }),
  };
}

/** A parser's message quotes the text it failed on; that is somebody's content. */
function messageOf(error: Error): string {
  if (error instanceof SyntaxError || error.name === "ZodError")
    return "the message is withheld: it may quote its input";
  return cut(error.message, MESSAGE_CHARACTERS);
}

function reasonOf(error: Error): string | undefined {
  const { reason, code } = error as { readonly reason?: unknown; readonly code?: unknown };
  if (typeof reason === "string") return cut(reason, FIELD_CHARACTERS);
  return typeof code === "string" ? cut(code, FIELD_CHARACTERS) : undefined;
}

function framesOf(error: Error): string {
  const lines = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return lines.slice(0, STACK_FRAMES).join("\n");
}

function causesOf(error: Error): string[] {
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    const reason = reasonOf(cause);
    causes.push(reason === undefined ? cause.name : `${cause.name} (${reason})`);
  }
  return causes;
}

function safeFields(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, safeField(value)]));
}

function safeField(value: unknown): unknown {
  if (value instanceof Error) return safeError(value);
  if (typeof value === "string") return cut(value, FIELD_CHARACTERS);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value) && value.length <= 50 && value.every((item) => typeof item !== "object")) {
    return value.map((item) => safeField(item));
  }
  return Array.isArray(value) ? `[list of ${value.length}]` : `[object of ${Object.keys(value).length} keys]`;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}

/** `12:00:00 warn  message key=value …`, an error's stack on lines of its own. */
function readableLine(json: string): string {
  const { level, time, msg, pid: _pid, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const stacks: string[] = [];
  const words = Object.entries(fields).map(([key, value]) => {
    const error = value as Partial<SafeError> | null;
    if (typeof value !== "object" || error?.name === undefined) return `${key}=${word(value)}`;
    if (error.stack !== undefined) stacks.push(error.stack);
    return `${key}=${word(`${error.name}: ${error.message ?? ""}`)}`;
  });
  const head = [String(time).slice(11, 19), String(level).padEnd(5), printable(String(msg))].join(" ");
  return `${[[head, ...words].join("  "), ...stacks.flatMap((stack) => stack.split("\n").map(printable))].join("\n")}\n`;
}

function word(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[\w./:@+-]+$/.test(text) ? text : JSON.stringify(printable(text));
}

/** Names come from agents: a control character in one must not reach the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
}
