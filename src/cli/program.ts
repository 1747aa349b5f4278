import { Command, CommanderError } from "commander";
import type { Environment } from "../config/index.ts";
import type { BuiltInStrategies } from "../open-config.ts";
import { checkConfigCommand } from "./check-config.ts";
import { demoCommand } from "./demo.ts";
import { EXIT, EXIT_CODES_HELP, type ExitCode, exitCodeOf, explain } from "./exit-code.ts";
import { exportCommand } from "./export.ts";
import { printConfigCommand } from "./print-config.ts";
import { printSchemaCommand } from "./print-schema.ts";
import { replayCommand } from "./replay.ts";
import { type ServeProcess, type StartDaemon, serveCommand } from "./serve.ts";
import { tailCommand } from "./tail.ts";
import { tuneCommand } from "./tune.ts";

/** What the commands need from outside: the process, the strategies that are built in, the daemon. */
export interface CliDependencies {
  readonly environment: Environment;
  readonly builtIn: BuiltInStrategies;
  readonly startDaemon: StartDaemon;
  readonly version: string;
  readonly process: ServeProcess;
  stdout(text: string): void;
  stderr(text: string): void;
}

/**
 * Runs one command. Resolves with the exit code when it has finished (`serve`: when it has stopped); a mistake is
 * told on standard error, one line each.
 */
export async function runCli(argv: readonly string[], dependencies: CliDependencies): Promise<ExitCode> {
  try {
    await buildProgram(dependencies).parseAsync([...argv], { from: "user" });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.refused;
    dependencies.stderr(`contextd: ${explain(error).replaceAll("\n", "\ncontextd: ")}\n`);
    return exitCodeOf(error);
  }
}

function buildProgram(dependencies: CliDependencies): Command {
  const program = new Command("contextd")
    .description("Manages the context windows of LLM agents, and shows what it does.")
    .version(dependencies.version, "-V, --version", "print the version")
    .exitOverride()
    .configureOutput({ writeOut: (text) => dependencies.stdout(text), writeErr: (text) => dependencies.stderr(text) })
    .showSuggestionAfterError()
    .addHelpText("after", `\ncontextd COMMAND --help tells of each.${EXIT_CODES_HELP}`);
  const commands = [
    serveCommand(dependencies),
    checkConfigCommand(dependencies),
    printConfigCommand(dependencies),
    printSchemaCommand(dependencies),
    tailCommand(),
    replayCommand(dependencies),
    tuneCommand(dependencies),
    exportCommand(dependencies),
    demoCommand(dependencies),
  ];
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program));
  return program;
}
