import type { Block } from "./block.ts";
import type { JsonObject } from "./json.ts";

export const ROLES = ["system", "user", "assistant", "tool"] as const;

/** The provider-independent role. OpenAI's `developer` reads as `system`; its wire form is kept in the envelope. */
export type Role = (typeof ROLES)[number];

export const MESSAGE_FORMATS = ["openai", "anthropic"] as const;
export type MessageFormatName = (typeof MESSAGE_FORMATS)[number];

/** One message of the managed context, in the session's message format. */
export interface Message {
  /** `m1`, `m2`, … in order of arrival within the session. */
  readonly id: string;
  readonly role: Role;
  readonly turn: number;
  /** Everything of the wire message except its parts, owned by the message format. */
  readonly envelope: JsonObject;
  /** `agent`: the agent sent it; `contextd`: a summary, ledger or other message of ours. */
  readonly source: "agent" | "contextd";
  /** Tokens the provider charges for the message itself, beside its parts. */
  readonly overheadTokens: number;
  blocks: Block[];
}
