import type { Config, Plugins } from "../config/index.ts";
import { scorers } from "../eviction/index.ts";
import { ContextdError } from "../model/errors.ts";
import { bounds } from "./bounds/index.ts";
import type { BestOf, Contender } from "./contender.ts";
import { type ManagedParts, managedContender } from "./managed.ts";
import { peers } from "./peers/index.ts";

/** Before the name of a profile whose settings are replayed. */
const PROFILE = "profile:";

/** What a name can stand for: an eviction policy or a profile of the config, a policy without contextd, a bound. */
export type PolicyKind = "policy" | "profile" | "peer" | "bound";

export interface NamedPolicy {
  readonly name: string;
  readonly kind: PolicyKind;
}

/** All that can be replayed. `none` stands among the bounds: nothing that is sent can hold more. */
export function namedPolicies({
  config,
  plugins,
}: {
  readonly config: Config;
  readonly plugins: Plugins;
}): NamedPolicy[] {
  const of = (kind: PolicyKind, names: readonly string[]) => names.map((name) => ({ name, kind }));
  return [
    ...Object.keys({ ...scorers, ...plugins.scorers }).map(
      (name) => ({ name, kind: UNMANAGED.has(name) ? "bound" : "policy" }) as const,
    ),
    ...of(
      "profile",
      Object.keys(config.profiles).map((name) => `${PROFILE}${name}`),
    ),
    ...peers.map(({ name }) => ({ name, kind: UNMANAGED.has(name) ? "bound" : "peer" }) as const),
    ...of(
      "bound",
      bounds.map(({ name }) => name),
    ),
  ];
}

const UNMANAGED: ReadonlySet<string> = new Set(["none", "plain_none"]);

/** What a name stands for. Throws invalid_params for a name that is none. */
export function policyNamed(name: string, parts: ManagedParts): Contender | BestOf {
  const plain = [...peers, ...bounds].find((one) => one.name === name);
  if (plain !== undefined) return plain;
  const legal = namedPolicies(parts).map((policy) => policy.name);
  if (!legal.includes(name)) {
    throw new ContextdError("invalid_params", `There is no policy ${name}; choose from ${legal.join(", ")}.`, {
      path: "policy",
    });
  }
  if (!name.startsWith(PROFILE)) return managedContender(name, parts);
  return managedContender(name, parts, { profile: name.slice(PROFILE.length), settings: {} });
}
