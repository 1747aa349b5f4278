import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ContextdError } from "../model/errors.ts";
import { type Access, type Principal, permits, SCOPES } from "../rpc/scope.ts";
import { digestOf, type TokenEntry } from "./tokens.ts";

/** A WebSocket from a page cannot set headers: its token comes as a subprotocol of this prefix, beside `contextd.v1`. */
export const BEARER_PROTOCOL = "contextd.bearer.";

/** Whoever calls where no tokens are configured: everything, for the one tenant there is. */
const ANYBODY: Principal = { name: "anybody", tenant: "default", scopes: new Set(SCOPES) };

interface Known {
  readonly digest: Buffer;
  readonly principal: Principal;
}

/**
 * Bearer tokens to principals. Tokens are known by their SHA-256 only. They are looked up under a keyed digest with a
 * key of this process, so that the time of a look-up tells nothing about any token, and then compared in constant time.
 */
export class Authenticator {
  readonly #key = randomBytes(32);
  #known: ReadonlyMap<string, Known> | null;
  #principals: ReadonlySet<Principal>;

  /** `entries` null: no tokens are asked for. Only for an address that `assertSafeBind` let pass. */
  constructor(entries: readonly TokenEntry[] | null) {
    this.#known = null;
    this.#principals = new Set([ANYBODY]);
    if (entries) this.replace(entries);
  }

  /** Whether a token is asked for at all. */
  get required(): boolean {
    return this.#known !== null;
  }

  /** How many tenants the tokens name; 1 without tokens. */
  get tenants(): number {
    return new Set([...this.#principals].map((principal) => principal.tenant)).size;
  }

  /** Takes over the tokens of a reloaded file. Principals of tokens that are unchanged stay the same objects. */
  replace(entries: readonly TokenEntry[]): void {
    const before = this.#known;
    const known = new Map<string, Known>();
    for (const entry of entries) {
      const index = this.#index(entry.digest);
      const old = before?.get(index)?.principal;
      const principal = old && isSame(old, entry) ? old : principalOf(entry);
      known.set(index, { digest: entry.digest, principal });
    }
    this.#known = known;
    this.#principals = new Set([...known.values()].map((each) => each.principal));
  }

  /** The principal of an Authorization header, or of nothing where no token is asked for. Throws `unauthorized`. */
  authenticate(authorization: string | undefined): Principal {
    if (!this.#known) return ANYBODY;
    if (authorization === undefined) {
      throw new ContextdError("unauthorized", "A token is needed: send it as `Authorization: Bearer <token>`.");
    }
    const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1];
    if (token === undefined) {
      throw new ContextdError("unauthorized", "The Authorization header is not of the form `Bearer <token>`.");
    }
    return this.#holder(token);
  }

  /** The same for a WebSocket's handshake: the header, or the token among the offered subprotocols. */
  authenticateUpgrade(authorization: string | undefined, protocols: string | undefined): Principal {
    if (!this.#known || authorization !== undefined) return this.authenticate(authorization);
    const offered = (protocols ?? "").split(",").map((protocol) => protocol.trim());
    const bearer = offered.find((protocol) => protocol.startsWith(BEARER_PROTOCOL));
    return bearer === undefined ? this.authenticate(undefined) : this.#holder(bearer.slice(BEARER_PROTOCOL.length));
  }

  /** False once the token of a principal was taken out of the file: its open connections are closed then. */
  stillHolds(principal: Principal): boolean {
    return this.#principals.has(principal);
  }

  #holder(token: string): Principal {
    const digest = digestOf(token);
    const found = this.#known?.get(this.#index(digest));
    if (!found || !timingSafeEqual(found.digest, digest)) {
      throw new ContextdError("unauthorized", "The token is not known here: it may have been replaced.");
    }
    return found.principal;
  }

  #index(digest: Buffer): string {
    return createHmac("sha256", this.#key).update(digest).digest("base64");
  }
}

/** Throws `unauthorized` when the principal lacks the scope. */
export function requireAccess(principal: Principal, access: Access): void {
  if (permits(principal.scopes, access)) return;
  throw new ContextdError("unauthorized", `The token lacks the scope for this: it takes ${access.scope}.`, {
    scope: access.scope,
  });
}

function principalOf(entry: TokenEntry): Principal {
  return { name: entry.name, tenant: entry.tenant, scopes: new Set(entry.scopes) };
}

function isSame(principal: Principal, entry: TokenEntry): boolean {
  return (
    principal.name === entry.name &&
    principal.tenant === entry.tenant &&
    principal.scopes.size === new Set(entry.scopes).size &&
    entry.scopes.every((scope) => principal.scopes.has(scope))
  );
}
