import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Programs that tests run as they come from Debian, with the package that each is in. */
const PACKAGES = {
  promtool: "prometheus",
  prometheus: "prometheus",
  amtool: "prometheus-alertmanager",
  "prometheus-alertmanager": "prometheus-alertmanager",
} as const;

type Program = keyof typeof PACKAGES;

/** Whether a program is there. Where it is not, a test passes over it, except in CI, where that is a failure. */
export function installed(program: Program): boolean {
  if (existsSync(`/usr/bin/${program}`)) return true;
  if (process.env["CI"]) throw new Error(`${program} is missing: apt-get install ${PACKAGES[program]}`);
  return false;
}

/** Runs a program to its end. Ask `installed` before. */
export function run(program: Program, args: readonly string[], cwd?: string): { status: number; output: string } {
  const result = spawnSync(`/usr/bin/${program}`, args, { encoding: "utf8", ...(cwd === undefined ? {} : { cwd }) });
  return { status: result.status ?? -1, output: `${result.stdout}${result.stderr}` };
}

/** A server that does not listen by then has failed, ms. */
const START_MS = 30_000;

/** Prometheus or Alertmanager as a process of its own, on a free port. Ends with its scope (`await using`). */
export class MonitoringProcess {
  readonly address: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.address = address;
  }

  /** Resolves when it listens; rejects with its log when it ends before. `args` name 127.0.0.1:0 as the address. */
  static start(program: Program, args: readonly string[]): Promise<MonitoringProcess> {
    const child = spawn(`/usr/bin/${program}`, args, { stdio: ["ignore", "ignore", "pipe"] });
    return new Promise((done, fail) => {
      let log = "";
      const timer = setTimeout(() => child.kill("SIGKILL"), START_MS);
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        if (log.length < 100_000) log += text;
        const address = /msg="Listening on" address=(127\.0\.0\.1:\d+)/.exec(log)?.[1];
        if (address === undefined) return;
        clearTimeout(timer);
        done(new MonitoringProcess(child, address));
      });
      child.once("error", fail);
      child.once("exit", () => fail(new Error(`${program} ended: ${log}`)));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((done) => this.#child.once("exit", done));
    this.#child.kill("SIGKILL");
    await ended;
  }
}
