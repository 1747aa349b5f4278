import type { IncomingMessage, ServerResponse } from "node:http";
import { ERRORS } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import { type Answer, type Dispatcher, faultFields } from "../rpc/dispatcher.ts";
import type { Authenticator } from "./auth.ts";
import { type BodyReader, requireJson } from "./body.ts";
import type { Connections } from "./connections.ts";
import { sendFailure } from "./errors.ts";
import { SECURITY_HEADER_LIST, traceparentOf } from "./headers.ts";
import type { Admission } from "./limits.ts";
import { Refusal } from "./refusals.ts";
import { RequestContext } from "./request-context.ts";

/** Statuses that a single call's error gives to the HTTP answer: what proxies and clients act on. Others are 200. */
const TELLING_STATUSES: ReadonlySet<number> = new Set([401, 429, 503]);

const JSON_HEADERS = [...SECURITY_HEADER_LIST, "Content-Type", "application/json", "Content-Length"];
const EMPTY_HEADERS = [...SECURITY_HEADER_LIST];

export interface RpcEndpointDependencies {
  readonly dispatcher: Dispatcher;
  readonly authenticator: Authenticator;
  readonly admission: Admission;
  readonly bodies: BodyReader;
  readonly connections: Connections;
  readonly log: Log;
}

/**
 * `POST /rpc`, on node's own request and response: an Express stack costs several times the CPU of the rest. A message
 * that was read is answered 200 (204 when it held notifications only), whatever its calls came to; except that one call
 * that failed as unauthorized, rate limited or not servable now has that status, with Retry-After.
 */
export class RpcEndpoint {
  readonly #dependencies: RpcEndpointDependencies;

  constructor(dependencies: RpcEndpointDependencies) {
    this.#dependencies = dependencies;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { connections, log } = this.#dependencies;
    try {
      const context = this.#admit(request);
      const body = await this.#dependencies.bodies.read(request);
      connections.busy(request.socket);
      response.once("close", () => {
        connections.idle(request.socket);
        if (!response.writableFinished) context.abort();
      });
      send(response, await this.#dependencies.dispatcher.dispatch(body, context));
    } catch (error) {
      const status = error instanceof Refusal || (error as Error).name === "ContextdError";
      if (!status) log.error(faultFields(error), "an RPC request failed unexpectedly");
      sendFailure(request, response, error, "rpc");
    }
  }

  /** What can be refused before the body is read. */
  #admit(request: IncomingMessage): RequestContext {
    if (request.method !== "POST") {
      throw new Refusal("method_not_allowed", "Calls are sent with POST; WebSocket is at /ws.", { Allow: "POST" });
    }
    const principal = this.#dependencies.authenticator.authenticate(request.headers.authorization);
    requireJson(request.headers);
    this.#dependencies.admission.check(principal.tenant);
    return new RequestContext("http", principal, traceparentOf(request.headers));
  }
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer.text === null) {
    response.writeHead(204, EMPTY_HEADERS).end();
    return;
  }
  const headers = [...JSON_HEADERS, String(Buffer.byteLength(answer.text))];
  let status = 200;
  if (answer.failure) {
    const { reason, retryAfterSeconds } = answer.failure;
    const telling = ERRORS[reason].http;
    if (TELLING_STATUSES.has(telling)) status = telling;
    if (retryAfterSeconds !== null) headers.push("Retry-After", String(retryAfterSeconds));
    if (reason === "unauthorized") headers.push("WWW-Authenticate", 'Bearer realm="contextd"');
  }
  response.writeHead(status, headers).end(answer.text);
}
