import { lookup as systemLookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. Rejects as the system says. */
export type Lookup = (host: string) => Promise<readonly Address[]>;

export const lookupAll: Lookup = (host) => systemLookup(host, { all: true });

/**
 * Link-local addresses, where clouds serve credentials to whoever asks from the machine: 169.254/16 (also as the
 * translators of NAT64 write it; BlockList itself sees through IPv4 in IPv6), fe80::/10, and the one that AWS serves
 * metadata on in IPv6.
 */
const denied = new BlockList();
denied.addSubnet("169.254.0.0", 16, "ipv4");
denied.addSubnet("64:ff9b::a9fe:0", 112, "ipv6");
denied.addSubnet("fe80::", 10, "ipv6");
denied.addAddress("fd00:ec2::254", "ipv6");

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

export function isDenied(address: string): boolean {
  return contains(denied, address);
}

/** Whether what is sent to the host of a URL stays on this machine. Names other than `localhost` are not looked up. */
export function staysHere(hostname: string): boolean {
  return hostname === "localhost" || contains(loopback, bareHost(hostname));
}

/** An IPv6 host of a URL without its brackets. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address.replace(/%.*$/, ""), family === 4 ? "ipv4" : "ipv6");
}
