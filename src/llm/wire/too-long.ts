import type { Json } from "../../model/json.ts";
import { classifyRefusal } from "../../window/overflow/index.ts";

/** Whether a server refuses a prompt for its length, in tokens or in bytes. */
export function tooLong(status: number, body: unknown): boolean {
  if (status === 413) return true;
  const { kind } = classifyRefusal(body as Json | undefined);
  return kind === "context_length" || kind === "request_size";
}
