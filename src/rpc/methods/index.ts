import type { Lab } from "../../lab/index.ts";
import type { ContextManager } from "../../manager/manager.ts";
import type { Shadow } from "../../shadow/index.ts";
import type { RpcMethod } from "../method.ts";
import type { ServiceInfo } from "../openrpc.ts";
import type { Principal } from "../scope.ts";
import { replayMethods } from "./replay.ts";
import { rpcDiscover } from "./rpc-discover.ts";
import { sessionMethods } from "./session-commands.ts";
import { sessionList } from "./session-list.ts";
import { shadowMethods } from "./shadow.ts";
import { type DaemonFigures, statusReport } from "./status-report.ts";
import { type SystemReport, systemReport } from "./system-report.ts";

/** Where policies are tried that no session has. */
export interface Trials {
  readonly shadow: Shadow;
  readonly lab: Lab;
}

/** Every method of the daemon: the calls on a session, and those on the daemon itself. */
export function methodsOf(
  manager: ContextManager,
  { shadow, lab }: Trials,
  figures: DaemonFigures & { system(principal: Principal): SystemReport },
): readonly RpcMethod[] {
  const methods: RpcMethod[] = [
    ...sessionMethods(manager),
    sessionList(manager),
    ...shadowMethods(shadow, manager),
    ...replayMethods(lab),
    statusReport(manager, figures),
    systemReport((principal) => figures.system(principal)),
    rpcDiscover(() => methods, serviceInfo(figures.version)),
  ];
  return methods;
}

/** The registry as documents read it: none of these methods may be called. */
export function documentedMethods(): readonly RpcMethod[] {
  const nobody = null as unknown as ContextManager;
  return methodsOf(nobody, { shadow: null as unknown as Shadow, lab: null as unknown as Lab }, {
    version: "",
  } as Parameters<typeof methodsOf>[2]);
}

export function serviceInfo(version: string): ServiceInfo {
  return {
    title: "contextd",
    version,
    description:
      "Manages the context windows of LLM agents: hooks for each turn, and calls to look, explain and steer.",
  };
}
