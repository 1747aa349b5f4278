#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { builtIn } from "./built-in.ts";
import { EXIT } from "./cli/exit-code.ts";
import { type CliDependencies, runCli } from "./cli/program.ts";
import { readFaults } from "./faults.ts";
import { safeError } from "./log.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Time that handles which nobody closed get, in ms, before the process ends without them. */
const LINGER_MS = 2000;

const dependencies: CliDependencies = {
  version,
  environment: process.env,
  builtIn,
  // Loaded only to serve: the other commands start without the server's and the store's modules.
  startDaemon: async (options) => {
    const { startDaemon } = await import("./daemon.ts");
    return startDaemon({ ...options, faults: readFaults(process.env) });
  },
  process: {
    stderrIsTerminal: process.stderr.isTTY === true,
    stdoutIsTerminal: process.stdout.isTTY === true,
    on: (signal, listener) => process.on(signal, listener),
    removeListener: (signal, listener) => process.removeListener(signal, listener),
    exit: (code) => process.exit(code),
  },
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
};

// Node would print the whole error, with what it carries; a daemon's errors may carry content.
function crash(error: unknown): void {
  process.stderr.write(
    `${JSON.stringify({ level: "fatal", err: safeError(error), msg: "an error that nobody handled" })}\n`,
  );
  process.exit(EXIT.failure);
}
process.on("uncaughtException", crash);
process.on("unhandledRejection", crash);

// The reader of a pipe may leave early: `contextd print-config | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const exitCode = await runCli(process.argv.slice(2), dependencies);
if (exitCode !== EXIT.ok) process.exitCode = exitCode;
setTimeout(() => process.exit(), LINGER_MS).unref();
