import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { ServerOptions } from "./options.ts";
import { Refusal } from "./refusals.ts";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Loopback is no proof of trust: a page of another site may post to it, and a name of another site may be made to
 * resolve to it (DNS rebinding). So a request must name a host that is served here, and where a browser says which
 * page it comes from, that must be the daemon's own or one from the config.
 */
export class HostGuard {
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];
  readonly #origins: ReadonlySet<string>;

  constructor(options: Pick<ServerOptions, "host" | "allowed_hosts" | "allowed_origins">) {
    const names = options.allowed_hosts.map((name) => name.toLowerCase());
    const exact = names.filter((name) => !name.startsWith("*."));
    this.#names = new Set([...LOOPBACK_NAMES, bracketed(options.host.toLowerCase()), ...exact.map(bracketed)]);
    this.#suffixes = names.filter((name) => name.startsWith("*.")).map((name) => name.slice(1));
    this.#origins = new Set(options.allowed_origins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
  }

  /** Throws Refusal for a foreign Host or Origin. */
  check(request: IncomingMessage): void {
    const host = hostHeader(request);
    if (!this.#serves(host, request.socket.localAddress)) {
      throw new Refusal(
        "foreign_host",
        "The Host header names no host that is served here: add it to server.allowed_hosts if it should be.",
      );
    }
    const { origin } = request.headers;
    if (origin !== undefined && !this.#trusts(origin.toLowerCase(), host)) {
      throw new Refusal(
        "foreign_origin",
        "The request comes from a page of another site: add its origin to server.allowed_origins if it may call.",
      );
    }
  }

  /** The port is let be: forwarding changes it, and rebinding is about names. */
  #serves(host: string, localAddress: string | undefined): boolean {
    const name = host.replace(/:\d*$/, "");
    if (this.#names.has(name)) return true;
    if (this.#suffixes.some((suffix) => name.length > suffix.length && name.endsWith(suffix))) return true;
    // Listening on every address: a literal address cannot be rebound, and it must be the one connected to.
    return (
      localAddress !== undefined && isIP(unbracketed(name)) !== 0 && bracketed(plainAddress(localAddress)) === name
    );
  }

  #trusts(origin: string, host: string): boolean {
    if (this.#origins.has(origin)) return true;
    const [, scheme, authority] = /^(https?):\/\/([^/]+)$/.exec(origin) ?? [];
    if (scheme === undefined || authority === undefined) return false;
    const port = scheme === "https" ? ":443" : ":80";
    return withoutPort(authority, port) === withoutPort(host, port);
  }
}

/** The one Host header, in lower case. */
function hostHeader(request: IncomingMessage): string {
  let found = 0;
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") found++;
  }
  if (found !== 1) throw new Refusal("bad_request", "A request must have one Host header.");
  return (request.headers.host ?? "").toLowerCase();
}

function withoutPort(authority: string, port: string): string {
  return authority.endsWith(port) ? authority.slice(0, -port.length) : authority;
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function unbracketed(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}

/** An IPv4 address as a dual-stack socket reports it. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:/, "");
}
