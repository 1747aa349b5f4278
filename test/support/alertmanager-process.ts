import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

const PROGRAM = "/usr/bin/prometheus-alertmanager";
const START_MS = 30_000;

/** An alert as its API lists it. */
export interface ListedAlert {
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

/** Debian's Alertmanager on ports of its own, which sends everything to one webhook at once. Ends with its scope. */
export class AlertmanagerProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #end: () => void;

  private constructor(url: string, child: ChildProcess, end: () => void) {
    this.url = url;
    this.#child = child;
    this.#end = end;
  }

  /** null where it is not installed; in CI that is a failure. */
  static async start(webhookUrl: string): Promise<AlertmanagerProcess | null> {
    if (!existsSync(PROGRAM)) {
      if (process.env["CI"]) throw new Error("Alertmanager is missing: apt-get install prometheus-alertmanager");
      return null;
    }
    const folder = temporaryFolder();
    const file = folder.write(
      "alertmanager.json",
      JSON.stringify({
        route: { receiver: "out", group_by: ["..."], group_wait: "0s", group_interval: "1s", repeat_interval: "4h" },
        receivers: [{ name: "out", webhook_configs: [{ url: webhookUrl, send_resolved: true }] }],
      }),
    );
    const child = spawn(
      PROGRAM,
      [
        `--config.file=${file}`,
        `--storage.path=${join(folder.path, "data")}`,
        "--web.listen-address=127.0.0.1:0",
        "--cluster.listen-address=",
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const end = () => folder[Symbol.dispose]();
    try {
      const port = await portOf(child);
      return new AlertmanagerProcess(`http://127.0.0.1:${port}`, child, end);
    } catch (error) {
      child.kill("SIGKILL");
      end();
      throw error;
    }
  }

  async alerts(): Promise<ListedAlert[]> {
    const response = await fetch(`${this.url}/api/v2/alerts`);
    return (await response.json()) as ListedAlert[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGKILL");
    await ended;
    this.#end();
  }
}

/** The port that it picked, as its log tells. */
function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`Alertmanager does not listen: ${text}`)), START_MS);
    child.once("error", reject);
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const port = /msg="Listening on" address=127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(port);
    });
  });
}
