import { Command, InvalidArgumentError } from "commander";
import { SubscriptionRefused, subscribeEvents } from "../client/index.ts";
import { bearerToken, DEFAULT_URL } from "./daemon-address.ts";
import { eventLine } from "./event-line.ts";

export interface TailOptions {
  readonly url: string;
  readonly types?: readonly string[];
  readonly session?: string;
  readonly since?: number;
  /** One JSON object a line, as the stream sends it. */
  readonly json?: boolean;
  readonly token?: string;
  readonly colour?: boolean;
}

export interface TailDependencies {
  /** Takes one line without its end; may answer with a promise to slow the reading down. */
  readonly print: (line: string) => void | Promise<void>;
  /** Takes notes about the connection. */
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Prints events until the signal is aborted. Survives restarts of the daemon. Returns the exit code. */
export async function tail(options: TailOptions, { print, note, signal }: TailDependencies): Promise<number> {
  const filters = {
    ...(options.types === undefined ? {} : { types: options.types }),
    ...(options.session === undefined ? {} : { session: options.session }),
    ...(options.since === undefined ? {} : { since: options.since }),
  };
  let wasDown = false;
  const onLink = (link: { up: true } | { up: false; reason: string; retryInMs: number }): void => {
    if (!link.up) note(`${options.url}: ${link.reason}; trying again in ${(link.retryInMs / 1000).toFixed(1)} s`);
    else if (wasDown) note(`${options.url}: connected again`);
    wasDown = !link.up;
  };
  const subscription = { signal, onLink, ...(options.token === undefined ? {} : { token: options.token }) };
  try {
    for await (const event of subscribeEvents(options.url, filters, subscription)) {
      await print(options.json === true ? JSON.stringify(event) : eventLine(event, options.colour === true));
    }
  } catch (error) {
    if (!(error instanceof SubscriptionRefused)) throw error;
    note(`${options.url}: ${error.message}`);
    return 1;
  }
  return 0;
}

interface TailFlags {
  readonly url: string;
  readonly types?: string[];
  readonly session?: string;
  readonly since?: number;
  readonly json?: boolean;
  readonly tokenFile?: string;
}

/** `contextd tail`: the events of a running daemon, one line each. */
export function tailCommand(): Command {
  return new Command("tail")
    .description("print the events of a running daemon, one line each, until interrupted")
    .option("--url <url>", "address of the daemon", process.env["CONTEXTD_URL"] ?? DEFAULT_URL)
    .option("--types <types>", "only these event types, comma-separated: zone.changed,block.*", readList)
    .option("--session <id>", "only the events of this session")
    .option("--since <sequence>", "begin behind this event; events still held are printed first", readSequence)
    .option("--json", "one JSON object a line, as the stream sends it")
    .option("--token-file <file>", "file with the bearer token (or set CONTEXTD_TOKEN_FILE)")
    .addHelpText("after", "\nExit codes: 0 interrupted, 1 the daemon refused the stream, 2 usage.")
    .action(async (flags: TailFlags) => {
      process.exitCode = await runTail(flags);
    });
}

async function runTail(flags: TailFlags): Promise<number> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  // The reader of a pipe has gone (`contextd tail | head`): nothing more to do.
  process.stdout.once("error", interrupt);
  const token = bearerToken(flags.tokenFile, process.env);
  const { tokenFile: _read, ...options } = flags;
  try {
    return await tail(
      { ...options, colour: process.stdout.isTTY === true && !process.env["NO_COLOR"], ...(token ? { token } : {}) },
      { print: printToStdout, note: (line) => process.stderr.write(`${line}\n`), signal: stop.signal },
    );
  } finally {
    process.removeListener("SIGINT", interrupt);
    process.removeListener("SIGTERM", interrupt);
  }
}

/** Waits while the terminal or pipe is full, so that a slow reader slows the reading down and not the memory up. */
function printToStdout(line: string): void | Promise<void> {
  if (process.stdout.write(`${line}\n`)) return;
  return new Promise((resolve) => {
    const go = (): void => {
      process.stdout.off("drain", go);
      process.stdout.off("close", go);
      resolve();
    };
    process.stdout.on("drain", go);
    process.stdout.on("close", go);
  });
}

function readList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function readSequence(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("it must be the sequence of an event, a whole number.");
  return Number(text);
}
