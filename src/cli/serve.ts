import { Command } from "commander";
import type { Config, ConfigHolder, Environment, FlagSetting, Plugins } from "../config/index.ts";
import { createLog, type Logger } from "../log.ts";
import { type BuiltInStrategies, openConfig } from "../open-config.ts";
import { configSources } from "./config-sources.ts";
import { EXIT_CODES_HELP } from "./exit-code.ts";
import { type SignalSource, untilStopped } from "./until-stopped.ts";

/** A daemon that runs. */
interface RunningDaemon {
  /** Where it listens: `http://127.0.0.1:7420`. */
  readonly url: string;
  /** Drains and closes; resolves when nothing is left. */
  stop(reason: string): Promise<void>;
  /** Reads the config again and tells of the outcome in log, event and metric; never rejects for a bad config. */
  reload(): Promise<void>;
}

export interface ServeOptions {
  readonly config: Config;
  readonly configPath: string | null;
  readonly dataDir?: string;
  readonly log: Logger;
  /** The config and its reload, from the same file, environment and flags. */
  readonly holder: ConfigHolder;
  /** The strategies of the user's plug-ins, by kind and name. */
  readonly plugins: Plugins;
}

export type StartDaemon = (options: ServeOptions) => Promise<RunningDaemon>;

/** What `serve` needs of the process. */
export interface ServeProcess extends SignalSource {
  readonly stderrIsTerminal: boolean;
  readonly stdoutIsTerminal?: boolean;
}

interface Dependencies {
  readonly environment: Environment;
  readonly builtIn: BuiltInStrategies;
  readonly startDaemon: StartDaemon;
  readonly process: ServeProcess;
  stdout(text: string): void;
}

interface Flags {
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  readonly data?: string;
  readonly logLevel?: string;
}

/** `contextd serve`: the daemon, until it is told to stop. */
export function serveCommand(dependencies: Dependencies): Command {
  return new Command("serve")
    .summary("run the daemon")
    .description(
      "Runs the daemon. Prints `contextd listening on URL` when it is ready; logs go to standard error, as JSON unless " +
        "that is a terminal. SIGTERM and SIGINT drain and stop, a second one exits at once; SIGHUP reads the config again.",
    )
    .option("-c, --config <file>", "the config file, YAML or JSON (or set CONTEXTD_CONFIG); without one, defaults hold")
    .option("--host <address>", "address to listen on, over server.host")
    .option("--port <number>", "port to listen on, over server.port; 0 picks a free one")
    .option("--data <folder>", "folder of the journal, over store.path")
    .option("--log-level <level>", "least severe line to log, over telemetry.log.level")
    .addHelpText(
      "after",
      `
Examples:
  contextd serve
  contextd serve --config contextd.yaml --data /var/lib/contextd
  CONTEXTD_SERVER__PORT=8080 contextd serve
${EXIT_CODES_HELP}`,
    )
    .action((flags: Flags) => serve(flags, dependencies));
}

async function serve(
  flags: Flags,
  { environment, builtIn, startDaemon, process, stdout }: Dependencies,
): Promise<void> {
  const sources = configSources(flags.config, environment, flagSettings(flags));
  const { config, plugins, holder } = await openConfig(sources, builtIn);
  const log = createLog({ level: config.telemetry.log.level, readable: process.stderrIsTerminal });
  holder.onChange(({ telemetry }) => {
    log.level = telemetry.log.level;
  });
  const options: ServeOptions = { config, configPath: sources.file, log, holder, plugins };
  try {
    await untilStopped(process, log, async () => {
      const daemon = await startDaemon(flags.data === undefined ? options : { ...options, dataDir: flags.data });
      stdout(`contextd listening on ${daemon.url}\n`);
      return daemon;
    });
  } finally {
    log.flush();
  }
}

function flagSettings({ host, port, data, logLevel }: Flags): FlagSetting[] {
  const settings: FlagSetting[] = [];
  if (host !== undefined) settings.push({ flag: "--host", path: ["server", "host"], value: host });
  if (port !== undefined) settings.push({ flag: "--port", path: ["server", "port"], value: wholeNumber(port) });
  if (data !== undefined) settings.push({ flag: "--data", path: ["store", "path"], value: data });
  if (logLevel !== undefined)
    settings.push({ flag: "--log-level", path: ["telemetry", "log", "level"], value: logLevel });
  return settings;
}

/** The number that the digits are; anything else stays text, for the schema to refuse in its own words. */
function wholeNumber(text: string): number | string {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
