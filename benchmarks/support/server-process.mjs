// A server in a process of its own, as it would run: started, found by the address it prints, measured, stopped.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Ticks a second of the times in /proc; the same on every Linux that Node.js runs on. */
const TICKS = 100;

/** Starts `node ...args` and waits for the line that ends in its address. */
export async function serverProcess(args, { nodeOptions = [], log = "ignore" } = {}) {
  const child = spawn(process.execPath, [...nodeOptions, ...args], {
    stdio: ["ignore", "pipe", log],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const exited = once(child, "exit");
  let line = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    line += chunk;
    if (line.includes("\n")) break;
  }
  const url = /http:\/\/\S+/.exec(line)?.[0];
  if (!url) throw new Error(`the server said ${JSON.stringify(line)} where its address was expected`);
  return {
    url,
    pid: child.pid,
    /** CPU seconds of the process so far; NaN where the system does not tell. */
    cpuSeconds: () => cpuSeconds(child.pid),
    /** Resident bytes; NaN where the system does not tell. */
    residentBytes: () => residentBytes(child.pid),
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** The built daemon on a store in a temporary folder, with its metrics on and its log written to /dev/null. */
export async function daemonProcess(options) {
  const data = mkdtempSync(join(tmpdir(), "contextd-bench-"));
  const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
  const server = await serverProcess([main, "serve", "--host", "127.0.0.1", "--port", "0", "--data", data], options);
  return {
    ...server,
    data,
    async stop() {
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function cpuSeconds(pid) {
  try {
    // The name in parentheses may hold spaces: the fields are counted from behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return Number.NaN;
  }
}

function residentBytes(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}
