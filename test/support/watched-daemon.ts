import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { hasChromium } from "./chromium.ts";
import { DaemonProcess } from "./daemon-process.ts";
import { PageOpener } from "./open-page.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

const PREPARATION_MS = 60_000;

/** A built daemon with its journal in a folder of its own, and a browser that looks at it. */
export interface WatchedDaemon {
  readonly opener: PageOpener;
  /** The process that runs now. */
  readonly daemon: DaemonProcess;
  /** Kills the process and starts another one on the same journal. */
  restart(): Promise<void>;
}

/**
 * Has both for all tests of the file that calls it. `prepare` drives what they look at, before the first of them. What a
 * page complains of without being expected to fails the test that opened it.
 */
export function watchedDaemon(prepare: (daemon: DaemonProcess) => Promise<void>): WatchedDaemon {
  const opener = new PageOpener();
  let folder: TemporaryFolder | undefined;
  let daemon: DaemonProcess | undefined;
  const start = async (): Promise<void> => {
    folder ??= temporaryFolder();
    daemon = await DaemonProcess.start({ data: folder.path });
  };
  beforeAll(async () => {
    if (!hasChromium) return;
    await opener.start();
    await start();
    await prepare(daemon as DaemonProcess);
  }, PREPARATION_MS);
  afterAll(async () => {
    await opener.stop();
    await daemon?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });
  afterEach(async () => {
    expect(await opener.complaints()).toEqual([]);
  });
  return {
    opener,
    get daemon() {
      return daemon as DaemonProcess;
    },
    async restart() {
      await daemon?.[Symbol.asyncDispose]();
      await start();
    },
  };
}
