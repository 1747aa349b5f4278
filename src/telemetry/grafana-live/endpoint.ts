import type { LookupFunction } from "node:net";
import { type Address, bareHost, isDenied, type Lookup } from "../../outbound/index.ts";
import { PushError } from "./push-error.ts";

/** Where and how to push: one attempt's worth, since the credentials are read again for each. */
export interface Endpoint {
  /** `http:` or `https:`; the WebSocket is at the same place. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly lookup: LookupFunction;
}

/** `<base>/api/live/push/<stream>`. */
export function pushUrl(base: string, stream: string): URL {
  return new URL(`${base.replace(/\/+$/, "")}/api/live/push/${encodeURIComponent(stream)}`);
}

/** Throws PushError `denied_address` when the URL names a link-local address itself; names are checked as they are looked up. */
export function checkHost(url: URL): void {
  if (isDenied(bareHost(url.hostname))) throw new PushError("denied_address");
}

/** Hands out no address of a name that has a denied one: what is checked is what is connected to. */
export function checkedLookup(lookup: Lookup): LookupFunction {
  return (host, options, callback) => {
    const answer = (addresses: readonly Address[]): void => {
      const [first] = addresses;
      if (addresses.some(({ address }) => isDenied(address))) callback(denial(), "", 0);
      else if (first === undefined) callback(new Error("the name has no address"), "", 0);
      else if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    };
    lookup(host).then(answer, (error: NodeJS.ErrnoException) => callback(error, "", 0));
  };
}

function denial(): NodeJS.ErrnoException {
  return new PushError("denied_address");
}
