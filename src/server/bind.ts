import { isLoopback } from "../config/loopback.ts";
import { type ServerOptions, SetupError } from "./options.ts";

/**
 * Decides before anything listens whether the address may be served. Throws SetupError for one off the loopback
 * without tokens, unless that is explicitly wanted. Gives the warnings to log at each start.
 */
export function assertSafeBind(
  options: Pick<ServerOptions, "host" | "auth" | "tls" | "dangerously_listen_without_auth">,
): string[] {
  const { host, auth, tls, dangerously_listen_without_auth: override } = options;
  if ((tls.cert_file === null) !== (tls.key_file === null)) {
    throw new SetupError("server.tls takes cert_file and key_file together: one of them is missing.");
  }
  if (isLoopback(host)) return [];
  if (auth.tokens_file === null && !override) {
    throw new SetupError(
      `server.host is ${host === "" ? "empty (every address)" : host}, which is not the loopback, and there are no tokens: ` +
        "set server.auth.tokens_file, or listen on 127.0.0.1.",
    );
  }
  if (auth.tokens_file === null) {
    return [`listening on ${host} WITHOUT AUTHENTICATION: whoever reaches it reads and changes every session`];
  }
  return tls.cert_file === null
    ? [`tokens cross the network in clear to ${host}: set server.tls, or put a proxy with TLS in front`]
    : [];
}
