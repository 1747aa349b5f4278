import { z } from "zod";
import type { JsonObject } from "../../model/json.ts";
import { type RpcMethod, rpcMethod } from "../method.ts";
import { openRpcDocument, type ServiceInfo } from "../openrpc.ts";

/** OpenRPC's service discovery. `methods` gives the whole registry, this method included; it is asked once. */
export function rpcDiscover(methods: () => readonly RpcMethod[], info: ServiceInfo): RpcMethod {
  let document: JsonObject | null = null;
  return rpcMethod({
    name: "rpc.discover",
    summary: "Answers the OpenRPC document of this daemon: every method with the schemas of its parameters and result.",
    scope: "agent",
    mutates: false,
    params: z.strictObject({}),
    result: z.record(z.string(), z.json()),
    async call() {
      document ??= openRpcDocument(methods(), info);
      return document;
    },
  });
}
