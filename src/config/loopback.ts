import { isIPv4 } from "node:net";

/** Whether only this machine can reach a listener on the address. Names other than `localhost` are not looked up. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (bare === "localhost" || bare === "::1" || bare === "0:0:0:0:0:0:0:1") return true;
  const address = bare.startsWith("::ffff:") ? bare.slice("::ffff:".length) : bare;
  return isIPv4(address) && address.startsWith("127.");
}
