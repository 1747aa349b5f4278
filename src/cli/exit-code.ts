import { ConfigError } from "../config/index.ts";
import { ContextdError } from "../model/errors.ts";
import { SetupError } from "../server/options.ts";
import { UnusableStoreError } from "../store/errors.ts";

/** What a command's exit tells. Scripts and supervisors act on them. */
export const EXIT = {
  ok: 0,
  failure: 1,
  /** Usage, or a configuration that is refused. */
  refused: 2,
  unusableStore: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODES_HELP =
  "\nExit codes: 0 success, 1 failure, 2 usage or refused configuration, 3 unusable store.";

/** The exit code of a failed command. A failed start may carry the errors of its roll-back behind its own. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof AggregateError) return exitCodeOf(error.errors[0]);
  if (error instanceof ConfigError || error instanceof SetupError) return EXIT.refused;
  if (error instanceof ContextdError && error.reason === "invalid_params") return EXIT.refused;
  if (error instanceof UnusableStoreError) return EXIT.unusableStore;
  return EXIT.failure;
}

/** What people are told of a failed command: a mistake in a sentence, a fault with its name. */
export function explain(error: unknown): string {
  if (error instanceof AggregateError) return explain(error.errors[0]);
  if (!(error instanceof Error)) return "failed for a reason that is no error";
  if (exitCodeOf(error) !== EXIT.failure) return error.message;
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === "EADDRINUSE") return `port ${port} of ${address} is in use: stop what listens there, or choose another`;
  if (code === "EADDRNOTAVAIL") return `${address} is no address of this machine: set server.host`;
  if (code === "EACCES" && syscall === "listen")
    return `listening on port ${port} is not permitted: choose one from 1024 on`;
  return error.name === "Error" || error.name === "ContextdError" ? error.message : `${error.name}: ${error.message}`;
}
