import { SIGNAL_EXIT, type SignalSource } from "./until-stopped.ts";

/** The first signal ends what runs in order, a second one at once. Answers what takes the listeners off again. */
export function abortOnSignal(process: SignalSource, stop: AbortController): () => void {
  const listeners = (["SIGINT", "SIGTERM"] as const).map((signal) => {
    const listener = () => {
      if (stop.signal.aborted) process.exit(SIGNAL_EXIT[signal] ?? 1);
      else stop.abort(new Error(`stopped by ${signal}`));
    };
    process.on(signal, listener);
    return () => process.removeListener(signal, listener);
  });
  return () => {
    for (const remove of listeners) remove();
  };
}
