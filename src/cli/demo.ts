import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { ContextdClient, NoAnswerError } from "../client/index.ts";
import type { Environment, FlagSetting } from "../config/index.ts";
import { type DemoEvent, runDemo } from "../demo/index.ts";
import { createLog } from "../log.ts";
import { type BuiltInStrategies, openConfig } from "../open-config.ts";
import { abortOnSignal } from "./abort-on-signal.ts";
import { configSources } from "./config-sources.ts";
import { demoLine, demoTable } from "./demo-lines.ts";
import { EXIT_CODES_HELP } from "./exit-code.ts";
import { atLeastOne, positive, wholeNumber } from "./number-options.ts";
import type { ServeProcess, StartDaemon } from "./serve.ts";

interface Dependencies {
  readonly environment: Environment;
  readonly builtIn: BuiltInStrategies;
  readonly startDaemon: StartDaemon;
  readonly process: ServeProcess;
  stdout(text: string): void;
}

interface Flags {
  readonly url: string;
  readonly sessions: number;
  readonly turns: number;
  readonly speed: number;
  readonly seed: number;
  readonly serve?: boolean;
  readonly keep?: boolean;
  readonly record?: string;
  readonly tokenFile?: string;
}

/** The checkout or the installed package: what the agents read. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Time in which a daemon must answer the first call, ms. */
const FIRST_ANSWER_MS = 3_000;

/** `contextd demo`: agents without a model that do real work, so that there is something to see. */
export function demoCommand(dependencies: Dependencies): Command {
  const { environment } = dependencies;
  return new Command("demo")
    .summary("run agents that fill their windows, against a running daemon")
    .description(
      "Runs scripted agents against a running daemon: no model answers, but the work is real. They list, read and " +
        "search contextd's own files, run commands that only read, and send it all through the four hooks, so that " +
        "their sessions go through the zones. One line tells of each change of zone, pass and overflow.",
    )
    .option("--url <url>", "address of the daemon", environment["CONTEXTD_URL"] ?? "http://127.0.0.1:7420")
    .option("--serve", "run a daemon at that address for the length of the demo, its store in memory")
    .option("--sessions <number>", "agents that work side by side", atLeastOne, 8)
    .option("--turns <number>", "turns of each", atLeastOne, 45)
    .option("--speed <number>", "turns a second of each; 0: as fast as it goes", positive, 1)
    .option("--seed <number>", "the same seed takes the same steps", wholeNumber, 1)
    .option("--keep", "leave the sessions open at the end, to be looked at; with --serve, the daemon until Ctrl-C")
    .option("--record <folder>", "write each run into the folder, as JSONL")
    .option("--token-file <file>", "file with the bearer token (or set CONTEXTD_TOKEN_FILE)")
    .addHelpText(
      "after",
      `
Examples:
  contextd demo
  contextd demo --keep
  contextd demo --serve --sessions 40 --speed 5
  contextd demo --speed 0 --turns 12 --record runs
${EXIT_CODES_HELP} An interrupted demo closes its sessions and exits 0.`,
    )
    .action((flags: Flags) => demo(flags, dependencies));
}

async function demo(flags: Flags, dependencies: Dependencies): Promise<void> {
  const { environment, process, stdout } = dependencies;
  const stop = new AbortController();
  const release = abortOnSignal(process, stop);
  let own: Awaited<ReturnType<StartDaemon>> | null = null;
  try {
    if (flags.serve) {
      own = await serveFor(flags.url, dependencies);
      stdout(`a daemon for this demo listens on ${own.url}\n`);
    }
    const tokenFile = flags.tokenFile ?? environment["CONTEXTD_TOKEN_FILE"];
    const token = tokenFile === undefined ? undefined : readToken(tokenFile);
    const url = own?.url ?? flags.url;
    const access = { url, ...(token === undefined ? {} : { token }) };
    await requireDaemon(new ContextdClient({ ...access, attempts: 1, deadlineMs: FIRST_ANSWER_MS }), url);
    const { sessions, turns, speed, seed, record, keep = false } = flags;
    const colour = process.stdoutIsTerminal === true && !environment["NO_COLOR"];
    const report = await runDemo(
      { sessions, turns, speed, seed, keep, root: ROOT, ...(record === undefined ? {} : { record }) },
      {
        client: new ContextdClient(access),
        signal: stop.signal,
        tell: (event: DemoEvent) => stdout(`${demoLine(event, colour)}\n`),
      },
    );
    stdout(`\n${demoTable(report.agents)}`);
    for (const file of report.recorded) stdout(`recorded ${file}\n`);
    const failed = report.agents.filter((agent) => agent.outcome === "failed").length;
    if (own && keep && !stop.signal.aborted) {
      stdout(`the sessions stay open at ${own.url}: Ctrl-C ends the daemon\n`);
      await once(stop.signal, "abort");
    }
    if (failed > 0) throw new Error(`${failed} of ${sessions} sessions failed`);
  } finally {
    await own?.stop("the demo is over");
    release();
  }
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new Error(`the token file ${file} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

async function requireDaemon(client: ContextdClient, url: string): Promise<void> {
  try {
    await client.call("status.report", {}, { readOnly: true });
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    throw new Error(
      `no daemon answers at ${url}: start one with \`contextd serve\`, or let the demo run its own with --serve`,
      { cause: error },
    );
  }
}

/** A daemon at the address, with the config that CONTEXTD_CONFIG and the environment give, its store in memory. */
async function serveFor(url: string, { environment, builtIn, startDaemon, process }: Dependencies) {
  const { hostname, port, protocol } = new URL(url);
  if (protocol !== "http:") throw new Error(`--serve listens on http only: give --url as http://127.0.0.1:7420`);
  const settings: FlagSetting[] = [
    { flag: "--url", path: ["server", "host"], value: hostname.replace(/^\[|\]$/g, "") },
    { flag: "--url", path: ["server", "port"], value: port === "" ? 80 : Number(port) },
    { flag: "--serve", path: ["store", "kind"], value: "memory" },
  ];
  const { config, plugins, holder } = await openConfig(configSources(undefined, environment, settings), builtIn);
  // The demo tells of its sessions itself, their alerts among it: the log is for what goes wrong.
  const log = createLog({ level: "error", readable: process.stderrIsTerminal });
  return startDaemon({ config, configPath: null, log, holder, plugins });
}
