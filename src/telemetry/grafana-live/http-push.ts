import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { checkHost, type Endpoint } from "./endpoint.ts";
import { asPushError, refusal } from "./push-error.ts";

/**
 * Pushes over a connection of its own, and resolves when Grafana has taken the lines. Redirects are not followed. Rejects
 * with PushError, at the latest when the signal is aborted.
 */
export function pushOverHttp({ url, headers, lookup }: Endpoint, body: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(asPushError(signal.aborted ? signal.reason : error));
    try {
      checkHost(url);
      const content = Buffer.from(body, "utf8");
      const open = url.protocol === "https:" ? httpsRequest : httpRequest;
      const outgoing = open(url, {
        method: "POST",
        agent: false,
        signal,
        lookup,
        headers: {
          ...headers,
          "content-type": "text/plain; charset=utf-8",
          "content-length": String(content.length),
          "user-agent": "contextd",
        },
      });
      outgoing.on("error", fail);
      outgoing.on("response", (response) => {
        // The status says it all; what else the reply holds is nobody's to read.
        response.on("error", () => {}).destroy();
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) resolve();
        else reject(refusal(status));
      });
      outgoing.end(content);
    } catch (error) {
      fail(error);
    }
  });
}
