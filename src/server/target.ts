import { Refusal } from "./refusals.ts";

/** Names under which people put tokens into URLs. */
const TOKEN_NAMES = new Set(["token", "access_token", "auth_token", "auth", "authorization", "bearer", "api_key"]);

/** What a request asks for, below the daemon's path prefix. */
export interface Target {
  /** "" for the prefix itself, without the slash behind it that what is relative to it needs. */
  readonly path: string;
  /** Without its "?"; "" when there is none. */
  readonly query: string;
}

/**
 * Reads a request's target. Throws Refusal for one that is not a path, is not below the prefix, or carries a token: a
 * query string is kept by logs, histories and referrers, so a token must never be in one.
 */
export function readTarget(url: string, pathPrefix: string): Target {
  if (!url.startsWith("/")) throw new Refusal("bad_request", "The request's target must be a path.");
  const mark = url.indexOf("?");
  const query = mark === -1 ? "" : url.slice(mark + 1);
  if (query !== "") refuseTokens(query);
  const whole = mark === -1 ? url : url.slice(0, mark);
  if (pathPrefix === "") return { path: whole, query };
  if (whole !== pathPrefix && !whole.startsWith(`${pathPrefix}/`)) throw notServed();
  return { path: whole.slice(pathPrefix.length), query };
}

export function notServed(): Refusal {
  return new Refusal("not_found", "Nothing is served at this path.");
}

function refuseTokens(query: string): void {
  for (const name of new URLSearchParams(query).keys()) {
    if (!TOKEN_NAMES.has(name.toLowerCase())) continue;
    throw new Refusal(
      "token_in_query",
      "A token must not be in the query string, where logs keep it: send it as `Authorization: Bearer <token>`, and replace it.",
    );
  }
}
