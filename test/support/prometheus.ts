import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

const PROMETHEUS = "/usr/bin/prometheus";
/** A server that does not listen by then has failed, ms. */
const START_MS = 30_000;

/** Labels and values of a series, `NaN` where there is none at a time. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly number[];
}

interface Answer {
  readonly status: "success" | "error";
  readonly error?: string;
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value?: readonly [number, string];
      readonly values?: readonly (readonly [number, string])[];
    }[];
  };
}

/** Whether Debian's Prometheus is here; in CI it must be. */
export function hasPrometheus(): boolean {
  if (existsSync(PROMETHEUS)) return true;
  if (process.env["CI"]) throw new Error("prometheus is missing: apt-get install prometheus");
  return false;
}

/** Debian's Prometheus on a port and in a folder of its own; both are gone when its scope ends (`await using`). */
export class PrometheusProcess implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #folder: TemporaryFolder;

  private constructor(url: string, child: ChildProcess, ended: Promise<unknown>, folder: TemporaryFolder) {
    this.url = url;
    this.#child = child;
    this.#ended = ended;
    this.#folder = folder;
  }

  /**
   * @param config prometheus.yml as an object; JSON is YAML.
   * @param files further files that it names, by their path beside it.
   */
  static async start(config: object, files: Readonly<Record<string, object>> = {}): Promise<PrometheusProcess> {
    const folder = temporaryFolder();
    for (const [name, content] of Object.entries(files)) folder.write(name, JSON.stringify(content));
    const file = folder.write("prometheus.yml", JSON.stringify(config));
    const options = [`--storage.tsdb.path=${join(folder.path, "data")}`, "--web.listen-address=127.0.0.1:0"];
    const child = spawn(PROMETHEUS, [`--config.file=${file}`, ...options], { stdio: ["ignore", "ignore", "pipe"] });
    const ended = new Promise((done) => child.once("close", done));
    try {
      const address = await listening(child, ended);
      return new PrometheusProcess(`http://${address}`, child, ended, folder);
    } catch (error) {
      child.kill("SIGKILL");
      await ended;
      folder[Symbol.dispose]();
      throw error;
    }
  }

  /** Series of an expression now. */
  query(expression: string): Promise<Series[]> {
    return this.#ask("query", { query: expression });
  }

  /** Series of an expression over a time, in seconds since the epoch. */
  queryRange(expression: string, start: number, end: number, step: number): Promise<Series[]> {
    return this.#ask("query_range", { query: expression, start, end, step });
  }

  async #ask(path: string, fields: Readonly<Record<string, string | number>>): Promise<Series[]> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) body.set(name, String(value));
    const response = await fetch(`${this.url}/api/v1/${path}`, { method: "POST", body });
    const { status, error, data } = (await response.json()) as Answer;
    if (status === "error") throw new Error(`${error}: ${fields["query"]}`);
    return data.result.map(({ metric, value, values }) => ({
      metric,
      values: (values ?? (value === undefined ? [] : [value])).map(([, text]) => Number(text)),
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
    this.#folder[Symbol.dispose]();
  }
}

/** The address that the server says it listens on, once it answers there: it was asked for any free port. */
function listening(child: ChildProcess, ended: Promise<unknown>): Promise<string> {
  return new Promise((done, fail) => {
    let log = "";
    const timer = setTimeout(() => fail(new Error(`Prometheus does not listen: ${log}`)), START_MS);
    child.once("error", fail);
    void ended.then(() => fail(new Error(`Prometheus ended: ${log}`)));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      const address = /msg="Listening on" address=(\S+)/.exec(log)?.[1];
      // It listens before it answers.
      if (address === undefined || !log.includes("Server is ready to receive web requests")) return;
      clearTimeout(timer);
      done(address);
    });
  });
}
