/** What the server needs of the config's `server` section; snake case as there, so that the section fits as it is. */
export interface ServerOptions {
  /** Address or name to listen on. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** "" or "/something": every path is below it. */
  readonly path_prefix: string;
  readonly auth: { readonly tokens_file: string | null };
  /** Names besides the loopback's and the bound address; `*.example.org` takes in the names below it. */
  readonly allowed_hosts: readonly string[];
  /** Origins of pages besides the daemon's own, as `https://host[:port]`. */
  readonly allowed_origins: readonly string[];
  /** PEM files; both or neither. */
  readonly tls: { readonly cert_file: string | null; readonly key_file: string | null };
  readonly limits: ServerLimits;
  /** Milliseconds that calls in flight get to finish after `close`. */
  readonly drain_timeout_ms: number;
  readonly dangerously_listen_without_auth: boolean;
}

export interface ServerLimits {
  /** Bytes of one HTTP body or WebSocket message. */
  readonly body_bytes: number;
  /** Bytes that may wait in one WebSocket before no more of its calls are taken. */
  readonly subscriber_buffer_bytes: number;
  readonly connections: number;
  /** Calls in flight in the whole daemon. */
  readonly hooks_in_flight: number;
  /** Milliseconds from the first byte of a request, or from connecting, to the end of its headers. */
  readonly header_timeout_ms: number;
  /** Milliseconds to the end of a request's body. */
  readonly request_timeout_ms: number;
}

/** A setup that must not be served: the process exits with 2. The message names the setting and the cure. */
export class SetupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SetupError";
  }
}
