import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { ContextdClient } from "../client/index.ts";
import type { Environment } from "../config/index.ts";
import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { bearerToken, DEFAULT_URL } from "./daemon-address.ts";
import { EXIT_CODES_HELP } from "./exit-code.ts";

interface Dependencies {
  readonly environment: Environment;
  stdout(text: string): void;
}

interface Flags {
  readonly url?: string;
  readonly data?: string;
  readonly tenant: string;
  readonly tokenFile?: string;
  readonly output?: string;
}

/** Messages asked for at once. */
const PAGE = 200;

/** `contextd export SESSION`: a session as a recorded run. */
export function exportCommand(dependencies: Dependencies): Command {
  return new Command("export")
    .summary("write a session as a recorded run")
    .description(
      "Writes a session as JSONL, one line about it and then the original messages as the agent sent them, those that " +
        "were evicted too: a run that `contextd replay` reads. It holds all that was said, so treat it as you treat that.",
    )
    .argument("<session>", "the session's id")
    .option("--url <url>", `ask a running daemon (default: CONTEXTD_URL, else ${DEFAULT_URL})`)
    .option("--data <folder>", "read the journal of a daemon that does not run from its data folder")
    .option("--tenant <name>", "with --data: owner of the session", "default")
    .option("--token-file <file>", "file with the bearer token (or set CONTEXTD_TOKEN_FILE)")
    .option("-o, --output <file>", "write to this file instead of standard output")
    .addHelpText(
      "after",
      `
Examples:
  contextd export my-session -o runs/my-session.jsonl && contextd replay runs/
  contextd export my-session --data /var/lib/contextd
${EXIT_CODES_HELP}`,
    )
    .action((session: string, flags: Flags) => exportRun(session, flags, dependencies));
}

async function exportRun(session: string, flags: Flags, { environment, stdout }: Dependencies): Promise<void> {
  if (flags.data !== undefined && flags.url !== undefined) {
    throw new ContextdError("invalid_params", "Give either --url or --data, not both.", { path: "data" });
  }
  const lines =
    flags.data === undefined ? fromDaemon(session, flags, environment) : fromFolder(session, flags.data, flags.tenant);
  if (flags.output === undefined) for await (const line of lines) stdout(line);
  else await writeLines(flags.output, lines);
}

/** A file that could not be written whole is removed: half a run would be read as one. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  let descriptor: number | null = null;
  try {
    for await (const line of lines) {
      descriptor ??= openForWriting(path);
      writeFileSync(descriptor, line);
    }
  } catch (error) {
    if (descriptor !== null) rmSync(path, { force: true });
    throw error;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function openForWriting(path: string): number {
  try {
    // What agents say is nobody else's business.
    return openSync(path, "w", 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ContextdError("invalid_params", `${path} cannot be written: ${code ?? "unknown"}.`, { path: "output" });
  }
}

async function* fromDaemon(session_id: string, flags: Flags, environment: Environment): AsyncGenerator<string> {
  const token = bearerToken(flags.tokenFile, environment);
  const url = flags.url ?? environment["CONTEXTD_URL"] ?? DEFAULT_URL;
  const client = new ContextdClient({ url, ...(token === undefined ? {} : { token }) });
  let cursor: string | null = null;
  do {
    const params: JsonObject = { session_id, limit: PAGE, ...(cursor === null ? {} : { cursor }) };
    const page: JsonObject = await client.call("session.export", params, { readOnly: true });
    if (cursor === null) yield lineOf(page["metadata"] as JsonObject);
    for (const message of page["messages"] as JsonObject[]) yield lineOf(message);
    cursor = page["next_cursor"] as string | null;
  } while (cursor !== null);
}

async function* fromFolder(id: string, path: string, tenant: string): AsyncGenerator<string> {
  // Loaded only here: the other way needs no store.
  const { holdsStore, openJournal } = await import("../store/index.ts");
  const { exportSession } = await import("../manager/export.ts");
  if (!holdsStore(path)) {
    throw new ContextdError("invalid_params", `There is no journal of contextd in ${path}: give its data folder.`, {
      path: "data",
    });
  }
  const journal = await openJournal({ kind: "sqlite", path });
  try {
    let offset = 0;
    let total = 0;
    do {
      const page = await exportSession(journal, { tenant, id }, { upTo: Number.MAX_SAFE_INTEGER, offset, limit: PAGE });
      if (offset === 0) yield lineOf(page.metadata);
      for (const message of page.messages) yield lineOf(message);
      offset += page.messages.length;
      total = page.total;
    } while (offset < total);
  } finally {
    await journal.close();
  }
}

function lineOf(value: JsonObject): string {
  return `${JSON.stringify(value)}\n`;
}
