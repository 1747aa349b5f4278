import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const STRACE = "/usr/bin/strace";
const CALLS =
  "openat,lseek,pwrite64,write,writev,pwritev,fsync,fdatasync,msync,ftruncate,unlink,unlinkat,rename,renameat,renameat2";

/** What a process did to its files and told its peers, in order. */
export type DiskOperation =
  | { readonly kind: "write"; readonly path: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly path: string; readonly length: number }
  | { readonly kind: "sync"; readonly path: string }
  /** Bytes that left through a socket. */
  | { readonly kind: "send"; readonly text: string };

/** Debian's strace. Where it is not installed a test passes over it, except in CI, where that is a failure. */
export function straceIsThere(): boolean {
  if (existsSync(STRACE)) return true;
  if (process.env["CI"]) throw new Error("strace is missing: apt-get install strace");
  return false;
}

/** Follows all threads of a process from here on. `end` stops that and tells what was seen in `folder` and on sockets. */
export async function traceDisk(pid: number, file: string): Promise<{ end(folder: string): Promise<DiskOperation[]> }> {
  const tracer = spawn(
    STRACE,
    ["-f", "-y", "-xx", "-s", "1000000", "-e", `trace=${CALLS}`, "-o", file, "-p", String(pid)],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise((resolve) => tracer.once("close", resolve));
  let told = "";
  await new Promise<void>((resolve, reject) => {
    tracer.stderr.setEncoding("utf8").on("data", (text: string) => {
      told += text;
      if (told.includes("attached")) resolve();
    });
    tracer.once("close", () => reject(new Error(`strace did not attach: ${told}`)));
  });
  return {
    async end(folder) {
      tracer.kill("SIGINT");
      await ended;
      return readTrace(readFileSync(file, "latin1"), folder);
    },
  };
}

interface Call {
  readonly name: string;
  readonly args: string;
  readonly result: number;
}

/**
 * strace's lines as operations on files below the folder. A call that was interrupted by another thread's line counts
 * where it ended, but for what is sent, which may have left when the call began.
 */
export function readTrace(text: string, folder: string): DiskOperation[] {
  const unfinished = new Map<string, { readonly head: string; readonly at: number }>();
  const calls: { readonly at: number; readonly call: Call }[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const [, pid = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (rest.endsWith("<unfinished ...>")) {
      unfinished.set(pid, { head: rest.slice(0, -"<unfinished ...>".length), at });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const begun = resumed ? unfinished.get(pid) : undefined;
    const whole = resumed ? (begun?.head ?? "") + (resumed[1] ?? "") : rest;
    const call = readCall(whole);
    if (call === null || call.result < 0) continue;
    calls.push({ at: begun && isSend(call) ? begun.at : at, call });
  }
  calls.sort((a, b) => a.at - b.at);
  const offsets = new Map<string, number>();
  return calls.flatMap(({ call }) => operationOf(call, folder, offsets));
}

function readCall(line: string): Call | null {
  const match = /^(\w+)\((.*)\)\s+= (-?\d+)/s.exec(line);
  return match === null ? null : { name: match[1] ?? "", args: (match[2] ?? "").trimEnd(), result: Number(match[3]) };
}

function isSend({ name, args }: Call): boolean {
  return (name === "write" || name === "writev") && pathOf(args).startsWith("socket:");
}

function operationOf(call: Call, folder: string, offsets: Map<string, number>): DiskOperation[] {
  const { name, args, result } = call;
  const path = pathOf(args);
  if (isSend(call)) return [{ kind: "send", text: textsIn(args).toString("latin1") }];
  if (!path.startsWith(`${folder}/`)) {
    if (/^(unlink|rename)/.test(name) && args.includes(hexOf(folder))) throw new Error(`the replay knows no ${name}`);
    return [];
  }
  switch (name) {
    case "lseek":
      offsets.set(path, result);
      return [];
    case "fsync":
    case "fdatasync":
      return [{ kind: "sync", path }];
    case "ftruncate":
      return [{ kind: "truncate", path, length: lastNumber(args) }];
    case "write":
    case "writev": {
      const offset = offsets.get(path) ?? 0;
      offsets.set(path, offset + result);
      return [{ kind: "write", path, offset, bytes: textsIn(args).subarray(0, result) }];
    }
    case "pwrite64":
    case "pwritev":
      return [{ kind: "write", path, offset: lastNumber(args), bytes: textsIn(args).subarray(0, result) }];
    case "openat":
      return [];
    default:
      throw new Error(`the replay knows no ${name}`);
  }
}

/** Of the file descriptor that is the first argument: `27</data/contextd.db>`, in hex as all strings are. */
function pathOf(args: string): string {
  const hex = /^\d+<((?:\\x[0-9a-f]{2})+)>/.exec(args)?.[1];
  return hex === undefined ? "" : bytesOf(hex).toString("utf8");
}

/** The bytes of all quoted strings, one after the other. */
function textsIn(args: string): Buffer {
  return Buffer.concat([...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => bytesOf(hex ?? "")));
}

function bytesOf(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll("\\x", ""), "hex");
}

function hexOf(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

function lastNumber(args: string): number {
  return Number(/(\d+)$/.exec(args)?.[1]);
}
