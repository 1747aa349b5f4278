import type { Log } from "../model/log.ts";

/** The signals of the process, and its end. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  removeListener(signal: NodeJS.Signals, listener: () => void): unknown;
  /** Ends the process at once. */
  exit(code: number): void;
}

interface Stoppable {
  stop(reason: string): Promise<void>;
  reload(): Promise<void>;
}

/** The exit code of a process ended by a signal: 128 and the signal's number. */
export const SIGNAL_EXIT: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Starts something and lets signals govern it; resolves when it has stopped, rejects when the start or the stop
 * fails. SIGINT and SIGTERM stop it, also while it starts (then as soon as it has); a second one exits at once.
 * SIGHUP reloads.
 */
export async function untilStopped(process: SignalSource, log: Log, start: () => Promise<Stoppable>): Promise<void> {
  let daemon: Stoppable | null = null;
  let reloadAtStart = false;
  let stopBy: (reason: string) => void = () => {};
  const stopAsked = new Promise<string>((resolve) => {
    stopBy = resolve;
  });

  let asked = false;
  const onStop = (signal: NodeJS.Signals) => () => {
    if (asked) {
      log.warn({ signal }, "exiting at once: a second signal came before the drain had ended");
      process.exit(SIGNAL_EXIT[signal] ?? 1);
      return;
    }
    asked = true;
    log.info({ signal }, "stopping: calls in flight are finished first");
    stopBy(signal);
  };
  const onReload = () => {
    if (asked) return;
    if (daemon) reload(daemon, log);
    else reloadAtStart = true;
  };

  const listeners: [NodeJS.Signals, () => void][] = [
    ["SIGINT", onStop("SIGINT")],
    ["SIGTERM", onStop("SIGTERM")],
    ["SIGHUP", onReload],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  try {
    daemon = await start();
    if (reloadAtStart && !asked) reload(daemon, log);
    await daemon.stop(await stopAsked);
    log.info({}, "stopped");
  } finally {
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  }
}

function reload(daemon: Stoppable, log: Log): void {
  daemon.reload().catch((err: unknown) => log.error({ err }, "the reload failed"));
}
