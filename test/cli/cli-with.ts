import { builtIn } from "../../src/built-in.ts";
import { type CliDependencies, runCli } from "../../src/cli/program.ts";
import type { SignalSource } from "../../src/cli/until-stopped.ts";

/** Signals on demand, in place of the process. */
export class FakeProcess implements SignalSource {
  readonly stderrIsTerminal = false;
  readonly exits: number[] = [];
  readonly #listeners = new Map<string, Set<() => void>>();

  on(signal: string, listener: () => void): void {
    this.#listeners.set(signal, (this.#listeners.get(signal) ?? new Set()).add(listener));
  }

  removeListener(signal: string, listener: () => void): void {
    this.#listeners.get(signal)?.delete(listener);
  }

  exit(code: number): void {
    this.exits.push(code);
  }

  send(signal: NodeJS.Signals): void {
    for (const listener of [...(this.#listeners.get(signal) ?? [])]) listener();
  }

  get listening(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }
}

/** Runs a command of the CLI in this process and gives its outcome. */
export async function cliWith(argv: readonly string[], given: Partial<CliDependencies> = {}) {
  const output = { stdout: "", stderr: "" };
  const exitCode = await runCli(argv, {
    environment: {},
    builtIn,
    startDaemon: () => Promise.reject(new Error("no daemon in this test")),
    version: "1.2.3",
    process: new FakeProcess(),
    stdout: (text) => {
      output.stdout += text;
    },
    stderr: (text) => {
      output.stderr += text;
    },
    ...given,
  });
  return { exitCode, ...output };
}
