import { z } from "zod";
import type { RenderedContext, SplitMessage } from "../messages/index.ts";
import type { CoreEvent } from "../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Part } from "../model/part.ts";
import type { Services } from "./hook.ts";
import type { ManagedMessage, Session } from "./session.ts";

/** The managed context as the provider is to get it, in the session's message format; more messages may follow it. */
export function render(
  session: Pick<Session, "messages">,
  services: Pick<Services, "format">,
  behind: readonly SplitMessage[] = [],
): RenderedContext {
  const messages: JsonObject[] = [];
  let system: Json | undefined;
  for (const message of session.messages) {
    if (message.gone) continue;
    const wire = wireOf(message, services);
    if (isBeside(message, services)) system = wire["content"] as Json;
    else messages.push(wire);
  }
  for (const message of behind) messages.push(services.format.join(message));
  return services.format.settle(system === undefined ? { messages } : { system, messages });
}

/** The system prompt is no message where the format carries it beside them. */
function isBeside({ role }: ManagedMessage, { format }: Pick<Services, "format">): boolean {
  return format.systemBeside && role === "system";
}

function wireOf(message: ManagedMessage, services: Pick<Services, "format">): JsonObject {
  return services.format.join({
    role: message.role,
    envelope: message.envelope,
    parts: message.blocks.map((block) => block.part),
  });
}

/** Ids of the rendered messages, in their order: what a patch refers to. */
export function messageIds(session: Session, services: Pick<Services, "format">): string[] {
  return session.messages
    .filter((message) => !message.gone && !isBeside(message, services))
    .map((message) => message.id);
}

export interface PatchOperation {
  op: "replace" | "remove" | "insert";
  message_id: string;
  /** insert: id of the message it stands behind; null: first. */
  after?: string | null;
  message?: JsonObject;
}

/**
 * What turns the list of revision `base` into the current one, in cost proportional to what changed; null when
 * a patch cannot tell that: the base is older than the changes kept or not a revision of this session, the system
 * prompt beside the messages is new, or messages are rendered by their neighbours.
 */
export function patchSince(
  session: Session,
  base: number,
  services: Pick<Services, "format">,
): PatchOperation[] | null {
  if (base > session.revision || session.unpatchable) return null;
  if (base === session.revision) return [];
  const oldest = session.changes[0]?.revision;
  if (oldest === undefined || base < oldest - 1) return null;
  const touched = new Set<string>();
  const arrived = new Set<string>();
  for (let index = session.changes.length - 1; index >= 0; index--) {
    const change = session.changes[index] as Session["changes"][number];
    if (change.revision <= base) break;
    touched.add(change.messageId);
    if (change.added) arrived.add(change.messageId);
  }
  const operations: PatchOperation[] = [];
  for (const id of touched) {
    const message = session.messageById.get(id);
    if (message && isBeside(message, services)) return null;
    if (!message) {
      if (!arrived.has(id)) operations.push({ op: "remove", message_id: id });
    } else if (!arrived.has(id)) {
      operations.push({ op: "replace", message_id: id, message: wireOf(message, services) });
    }
  }
  const inserts: PatchOperation[] = [];
  for (let index = session.messages.length - 1, left = arrived.size; index >= 0 && left > 0; index--) {
    const message = session.messages[index] as ManagedMessage;
    if (!arrived.has(message.id)) continue;
    left--;
    const before = session.messages[index - 1];
    inserts.push({
      op: "insert",
      message_id: message.id,
      after: before && !isBeside(before, services) ? before.id : null,
      message: wireOf(message, services),
    });
  }
  return [...operations, ...inserts.reverse()];
}

/** One line of `applied`: what an edit did and why. */
export interface AppliedEdit {
  what: "evicted" | "merged" | "truncated" | "summarized";
  block_id: string;
  method: string;
  tokens_before: number;
  tokens_after: number;
  score: number | null;
  score_parts: Record<string, number>;
  rule: string;
  handle: string;
}

/** The edits among a call's events. */
export function appliedEdits(events: readonly CoreEvent[]): AppliedEdit[] {
  return events.flatMap((event): AppliedEdit[] => {
    if (event.type === "block.evicted") {
      const { block_id, method, tokens_before, tokens_after, score, score_parts, rule, handle } = event.data;
      return [{ what: "evicted", block_id, method, tokens_before, tokens_after, score, score_parts, rule, handle }];
    }
    if (event.type === "block.merged") {
      const { block_id, tokens_before, tokens_after, similarity, score, rule, handle } = event.data;
      const parts = { similarity };
      return [
        {
          what: "merged",
          block_id,
          method: "merge",
          tokens_before,
          tokens_after,
          score,
          score_parts: parts,
          rule,
          handle,
        },
      ];
    }
    if (event.type === "block.truncated" || event.type === "block.summarized") {
      const { block_id, tokens_before, tokens_after, rule, handle } = event.data;
      const isCut = event.type === "block.truncated";
      return [
        {
          what: isCut ? "truncated" : "summarized",
          block_id,
          method: isCut ? "truncate" : "summarize",
          tokens_before,
          tokens_after,
          score: null,
          score_parts: {},
          rule,
          handle,
        },
      ];
    }
    return [];
  });
}

/** The content of a tool result as the agent sent it or is to send it, without the frame of its format. */
export function resultContent(part: Part): Json {
  const { wire } = part;
  return isJsonObject(wire) && wire["type"] === "tool_result" ? (wire["content"] ?? "") : wire;
}

export const ledgerResult = z.object({
  message_ids: z.array(z.string()).describe("Its messages in the context: the stable segment, then the fresh one."),
  lines: z.number(),
  tokens: z.number(),
  stable_kept: z.boolean().describe("True when the stable segment is the one of the pass before."),
});

/** The ledger as the last pass among a call's events left it; null when none wrote it. */
export function writtenLedger(events: readonly CoreEvent[]): z.infer<typeof ledgerResult> | null {
  const data = events.findLast((event) => event.type === "ledger.rebuilt")?.data;
  if (!data) return null;
  const { stable_message_id, fresh_message_id, lines, tokens_after, stable_kept } = data;
  const message_ids = [stable_message_id, fresh_message_id].filter((id) => id !== null);
  return { message_ids, lines, tokens: tokens_after, stable_kept };
}

export const summaryOfPassResult = z.object({
  message_id: z.string().nullable().describe("Its message in the context; null: there was no room."),
  summarizer: z.enum(["llm", "extractive"]),
  generation: z.number().describe("How many times it has been folded."),
  facts: z.number().describe("Lines of it."),
  tokens: z.number(),
});

/** The summary as the last pass among a call's events left it; null when none folded it. */
export function writtenSummary(events: readonly CoreEvent[]): z.infer<typeof summaryOfPassResult> | null {
  const data = events.findLast((event) => event.type === "summary.rewritten")?.data;
  if (!data) return null;
  const { message_id, summarizer, generation, facts, tokens_after } = data;
  return { message_id, summarizer, generation, facts, tokens: tokens_after };
}
