import { inspect } from "node:util";
import type { Log } from "../../src/model/log.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: object;
}

/** A log that keeps its lines. `text` is all that was written, as deep as it goes. */
export class RecordingLog implements Log {
  readonly lines: LogLine[] = [];

  debug(fields: object, message: string): void {
    this.lines.push({ level: "debug", message, fields });
  }

  info(fields: object, message: string): void {
    this.lines.push({ level: "info", message, fields });
  }

  warn(fields: object, message: string): void {
    this.lines.push({ level: "warn", message, fields });
  }

  error(fields: object, message: string): void {
    this.lines.push({ level: "error", message, fields });
  }

  get text(): string {
    return inspect(this.lines, { depth: null, maxStringLength: null, showHidden: true });
  }
}
