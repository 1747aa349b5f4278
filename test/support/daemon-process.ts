import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { ContextdClient } from "../../src/client/index.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MAIN = join(ROOT, "dist/main.js");
/** A daemon that does not listen by then has failed, ms. */
const START_MS = 30_000;

/** How a process ended, and what it wrote. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface DaemonOptions {
  /** Folder of the journal. */
  readonly data: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Token of the client. */
  readonly token?: string;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Throws unless dist/ is there and newer than what it is made of: an old build would be tested in silence. */
function requireBuild(): void {
  const built = statSync(MAIN, { throwIfNoEntry: false });
  if (!built) throw new Error("dist/main.js is missing: run `npm run build` before the tests of real processes");
  for (const entry of readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    if (statSync(file).mtimeMs > built.mtimeMs) {
      throw new Error(`dist/ is older than ${file}: run \`npm run build\` before the tests of real processes`);
    }
  }
}

/** Nothing of the environment that would configure a daemon. */
function cleanEnvironment(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("CONTEXTD_"));
  return { ...Object.fromEntries(inherited), ...own };
}

/** A process of this checkout's build, or of one of its scripts. */
class BuiltProcess {
  readonly child: Child;
  readonly ended: Promise<Ending>;
  stdout = "";
  stderr = "";
  readonly #watchers = new Set<() => void>();

  constructor(argv: readonly string[], env?: Readonly<Record<string, string>>) {
    requireBuild();
    this.child = spawn(process.execPath, argv, {
      cwd: ROOT,
      env: cleanEnvironment(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#tell();
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#tell();
    });
    this.ended = new Promise((done, fail) => {
      this.child.once("error", fail);
      this.child.once("close", (code, signal) => {
        done({ code, signal, stdout: this.stdout, stderr: this.stderr });
        this.#tell();
      });
    });
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves when the output so far answers the question with anything but null or false. */
  async output<T>(question: (stdout: string, stderr: string) => T | null | false, ms = START_MS): Promise<T> {
    return new Promise((done, fail) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        settle();
      };
      const look = (): void => {
        const answer = question(this.stdout, this.stderr);
        if (answer !== null && answer !== false) finish(() => done(answer));
        else if (!this.running) finish(() => fail(new Error(`the process ended before: ${this.stderr}`)));
      };
      const timer = setTimeout(
        () => finish(() => fail(new Error(`not within ${ms} ms: ${this.stdout}${this.stderr}`))),
        ms,
      );
      this.#watchers.add(look);
      look();
    });
  }

  #tell(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/** `contextd serve` as a process of its own, on a free port. Ends with its scope (`await using`). */
export class DaemonProcess {
  readonly url: string;
  readonly client: ContextdClient;
  readonly #process: BuiltProcess;
  readonly #options: DaemonOptions;

  constructor(url: string, built: BuiltProcess, options: DaemonOptions) {
    this.url = url;
    this.#process = built;
    this.#options = options;
    this.client = new ContextdClient({ url, ...(options.token === undefined ? {} : { token: options.token }) });
  }

  /** Resolves when it listens; rejects with its standard error when it ends before. */
  static async start(options: DaemonOptions): Promise<DaemonProcess> {
    const argv = [MAIN, "serve", "--port", "0", "--data", options.data, ...(options.args ?? [])];
    const built = new BuiltProcess(argv, options.env);
    try {
      const url = await built.output((stdout) => /listening on (\S+)\n/.exec(stdout)?.[1] ?? null);
      return new DaemonProcess(url, built, options);
    } catch (error) {
      built.child.kill("SIGKILL");
      throw error;
    }
  }

  get ended(): Promise<Ending> {
    return this.#process.ended;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.child.kill(signal);
  }

  /** Sends the signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Ending> {
    this.signal(signal);
    return this.ended;
  }

  /** Waits until a line of the log has these words. */
  logged(words: string): Promise<string> {
    return this.#process.output(
      (_stdout, stderr) => stderr.split("\n").find((line) => line.includes(words)) ?? null,
      10_000,
    );
  }

  /** A new daemon on the same data, after this one has ended. */
  async restart(): Promise<DaemonProcess> {
    await this.ended;
    return DaemonProcess.start(this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.running) await this.kill("SIGKILL");
  }
}

/** A command of `contextd` that ends by itself, or by the signals it is given. */
export function startCommand(args: readonly string[], env?: Readonly<Record<string, string>>): BuiltProcess {
  return new BuiltProcess([MAIN, ...args], env);
}

export function runCommand(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ending> {
  return startCommand(args, env).ended;
}

/** A script of scripts/, run to its end. */
export function runScript(name: string, args: readonly string[]): Promise<Ending> {
  return new BuiltProcess([join(ROOT, "scripts", name), ...args]).ended;
}
