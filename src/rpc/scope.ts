export const SCOPES = ["agent", "operator", "metrics", "admin"] as const;

/** What a token may do. See `permits` for what each one includes. */
export type Scope = (typeof SCOPES)[number];

/** Who calls. The tenant comes from here and never from the body of a call. */
export interface Principal {
  /** Name of the token, fit for a log line. */
  readonly name: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** What a method or route asks of its caller. */
export interface Access {
  readonly scope: Scope;
  readonly mutates: boolean;
  /** Scopes besides `scope` that suffice, for what an agent and an operator may both change. */
  readonly sharedWith?: readonly Scope[];
}

/**
 * Whether any of the held scopes suffices:
 * - `agent`: what is marked agent, reading and changing.
 * - `operator`: what is marked operator, and whatever of the agent's only reads. It does not take turns for an agent.
 * - `metrics`: what is marked metrics, nothing else.
 * - `admin`: everything.
 */
export function permits(held: ReadonlySet<Scope>, access: Access): boolean {
  if (held.has("admin") || held.has(access.scope)) return true;
  if (access.sharedWith?.some((scope) => held.has(scope))) return true;
  return access.scope === "agent" && !access.mutates && held.has("operator");
}
