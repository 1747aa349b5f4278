import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

const INFLUXD = "/usr/bin/influxd";
/** A server that does not listen by then has failed, ms. */
const START_MS = 30_000;

type Row = Readonly<Record<string, string | number | null>>;

/** Debian's InfluxDB 1.6: the parser that every line we send must please. Ends with its scope (`await using`). */
export class Influxd implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: TemporaryFolder;
  readonly #url: string;

  private constructor(child: ChildProcess, folder: TemporaryFolder, url: string) {
    this.#child = child;
    this.#folder = folder;
    this.#url = url;
  }

  /** null where it is not installed; in CI that is a failure. */
  static async start(): Promise<Influxd | null> {
    if (!existsSync(INFLUXD)) {
      if (process.env["CI"]) throw new Error("influxd is missing: apt-get install influxdb");
      return null;
    }
    const folder = temporaryFolder();
    const config = folder.write("influxdb.conf", configOf(folder.path));
    const child = spawn(INFLUXD, ["run", "-config", config], { stdio: ["ignore", "ignore", "pipe"], env: {} });
    try {
      const influxd = new Influxd(child, folder, `http://127.0.0.1:${await portOf(child)}`);
      await influxd.#query("CREATE DATABASE live", "");
      return influxd;
    } catch (error) {
      await end(child);
      folder[Symbol.dispose]();
      throw error;
    }
  }

  /** Throws with InfluxDB's own words when it does not take each line. */
  async write(lines: readonly string[]): Promise<void> {
    const response = await fetch(`${this.#url}/write?db=live&precision=ns`, { method: "POST", body: lines.join("\n") });
    if (response.status !== 204) throw new Error(`influxd answered ${response.status}: ${await response.text()}`);
  }

  /** All points of a measurement, tags and fields as columns, `time` in ms. */
  async read(measurement: string): Promise<readonly Row[]> {
    const name = measurement.replace(/["\\]/g, "\\$&");
    const answer = await this.#query(`SELECT * FROM "${name}"`, "&epoch=ms");
    const series = answer.results[0]?.series?.[0];
    return (series?.values ?? []).map((values) =>
      Object.fromEntries(values.map((value, column) => [series?.columns[column] as string, value])),
    );
  }

  async #query(query: string, more: string): Promise<Answer> {
    const response = await fetch(`${this.#url}/query?db=live${more}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `q=${encodeURIComponent(query)}`,
    });
    const answer = (await response.json()) as Answer;
    const error = answer.error ?? answer.results[0]?.error;
    if (error !== undefined) throw new Error(`influxd refused ${query}: ${error}`);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.#child);
    this.#folder[Symbol.dispose]();
  }
}

interface Answer {
  readonly error?: string;
  readonly results: readonly {
    readonly error?: string;
    readonly series?: readonly {
      readonly columns: readonly string[];
      readonly values: readonly (readonly (string | number | null)[])[];
    }[];
  }[];
}

function configOf(folder: string): string {
  const path = (name: string) => JSON.stringify(join(folder, name));
  return `reporting-disabled = true
bind-address = "127.0.0.1:0"
[meta]
dir = ${path("meta")}
[data]
dir = ${path("data")}
wal-dir = ${path("wal")}
query-log-enabled = false
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:0"
log-enabled = false
[subscriber]
enabled = false
[continuous_queries]
enabled = false
`;
}

/** The port of the HTTP service, which the log tells. */
function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = "";
    const timer = setTimeout(() => reject(new Error(`influxd does not listen: ${log}`)), START_MS);
    const settle = (done: () => void): void => {
      clearTimeout(timer);
      done();
    };
    child.once("error", (error) => settle(() => reject(error)));
    child.once("exit", () => settle(() => reject(new Error(`influxd ended: ${log}`))));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      const port = /Listening on HTTP.*?addr=127\.0\.0\.1:(\d+)/.exec(log)?.[1];
      if (port !== undefined) settle(() => resolve(port));
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}
