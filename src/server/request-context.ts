import type { CallContext, TransportName } from "../rpc/method.ts";
import type { Principal } from "../rpc/scope.ts";

/** The context of calls that came over a socket. Its signal is only made when a method asks for it: few do. */
export class RequestContext implements CallContext {
  readonly principal: Principal;
  readonly transport: TransportName;
  readonly traceparent: string | null;
  #aborter: AbortController | null = null;
  #over = false;

  constructor(transport: TransportName, principal: Principal, traceparent: string | null) {
    this.principal = principal;
    this.transport = transport;
    this.traceparent = traceparent;
  }

  get signal(): AbortSignal {
    this.#aborter ??= new AbortController();
    if (this.#over) this.#aborter.abort();
    return this.#aborter.signal;
  }

  /** Nobody waits any more. */
  abort(): void {
    this.#over = true;
    this.#aborter?.abort();
  }
}
