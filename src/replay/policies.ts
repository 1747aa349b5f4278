import type { Config, Plugins } from "../config/index.ts";
import { scorers } from "../eviction/index.ts";
import { ContextdError } from "../model/errors.ts";
import { bounds } from "./bounds/index.ts";
import type { BestOf, Contender } from "./contender.ts";
import { type ManagedParts, managedContender } from "./managed.ts";
import { peers } from "./peers/index.ts";

/** Before the name of a profile whose settings are replayed. */
const PROFILE = "profile:";

/** Names of what can be replayed: eviction policies and profiles of the config, peers, bounds. */
function policyNames({ config, plugins }: { readonly config: Config; readonly plugins: Plugins }): string[] {
  return [
    ...Object.keys({ ...scorers, ...plugins.scorers }),
    ...[...peers, ...bounds].map(({ name }) => name),
    ...Object.keys(config.profiles).map((name) => `${PROFILE}${name}`),
  ];
}

/** What a name stands for. Throws invalid_params for a name that is none. */
export function policyNamed(name: string, parts: ManagedParts): Contender | BestOf {
  const plain = [...peers, ...bounds].find((one) => one.name === name);
  if (plain !== undefined) return plain;
  const legal = policyNames(parts);
  if (!legal.includes(name)) {
    throw new ContextdError("invalid_params", `There is no policy ${name}; choose from ${legal.join(", ")}.`, {
      path: "policy",
    });
  }
  if (!name.startsWith(PROFILE)) return managedContender(name, parts);
  return managedContender(name, parts, { profile: name.slice(PROFILE.length), settings: {} });
}
