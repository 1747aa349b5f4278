import type { AnyCommand } from "../../manager/commands/command.ts";
import { commands } from "../../manager/commands/index.ts";
import type { ContextManager } from "../../manager/manager.ts";
import type { JsonObject } from "../../model/json.ts";
import type { RpcMethod } from "../method.ts";

/** The calls on a session as RPC methods: schemas and docs are the commands' own. */
export function sessionMethods(manager: ContextManager): RpcMethod[] {
  return Object.values(commands).map((command: AnyCommand) => ({
    name: command.name,
    summary: command.summary,
    scope: command.scope,
    ...(command.sharedWith ? { sharedWith: command.sharedWith } : {}),
    mutates: command.mutates,
    params: command.params,
    result: command.result,
    call: ({ principal, traceparent }, params) =>
      manager.execute(command, { tenant: principal.tenant, traceparent }, params as JsonObject),
  }));
}
