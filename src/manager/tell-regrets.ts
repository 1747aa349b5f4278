import { callKeyOf, parseArguments } from "../eviction/index.ts";
import { type Book, missedLine } from "../ledger/index.ts";
import type { Json } from "../model/json.ts";
import { type Part, textOf } from "../model/part.ts";
import { identifierHashes, identifiersByHash } from "../references/index.ts";
import {
  type Departure,
  departureOf,
  detectRegrets,
  isRegretted,
  LONGEST_ARGUMENTS,
  type RegretKind,
} from "../regret/index.ts";
import type { Hook } from "./hook.ts";

/**
 * Tells what an assistant message that is about to come in shows to have been needed of what lately left. Costs nothing
 * when nothing did, else what the message itself costs to read.
 */
export function tellNeeds(hook: Hook, parts: readonly Part[]): void {
  const { session, services } = hook;
  const { index } = services.analysis.regret;
  if (index.isEmpty) return;
  const said = parts.filter((part) => part.kind === "text" || part.kind === "tool_call");
  if (said.length === 0) return;
  index.settle();
  const used = new Map(said.flatMap((part) => [...identifiersByHash(usedText(part))]));
  const use = {
    identifiers: used.keys(),
    calls: said
      .filter((part) => part.kind === "tool_call")
      .filter((part) => part.argumentsText.length <= LONGEST_ARGUMENTS)
      .map((part) => ({ id: part.callId, key: callKeyOf(part) })),
  };
  const found = detectRegrets(index, session.regret, use, {
    isLive: (identifier, holders) => isLive(hook, identifier, holders),
    isAnswered(callKey, blockId) {
      services.analysis.readBlocks();
      return services.analysis.superseded.answersOf(callKey).some((id) => id !== blockId);
    },
  });
  for (const { kind, departure, identifier } of found) tell(hook, kind, departure, used.get(identifier ?? -1) ?? null);
}

/** Tells that content of a block was recalled, if it lately left. */
export function tellRecall(hook: Hook, blockId: string): void {
  const { regret } = hook.session;
  const departure = departureOf(regret, blockId);
  if (departure !== null && !isRegretted(regret, blockId, "recall")) tell(hook, "recall", departure);
}

/**
 * What a part says by itself: a text, or the values of a call's arguments. The names of the tool and of its parameters
 * come from its definition, from wherever that is known to the model.
 */
function usedText(part: Part): string {
  if (part.kind !== "tool_call") return textOf(part);
  const parsed = parseArguments(part.argumentsText);
  if (parsed === null) return part.argumentsText;
  const values: string[] = [];
  collectValues(parsed, values);
  return values.join("\n");
}

function collectValues(value: Json, into: string[]): void {
  if (value === null || typeof value !== "object") into.push(String(value));
  else for (const inner of Object.values(value)) collectValues(inner, into);
}

/** Whether the context shows the identifier: in a live block, or in what stands in the place of what held it. */
function isLive({ session, services }: Hook, identifier: number, holders: readonly Departure[]): boolean {
  services.analysis.readBlocks();
  if (services.analysis.references.holds(identifier)) return true;
  return holders.some(({ blockId }) => {
    const block = session.blocks.get(blockId);
    return block !== undefined && identifierHashes(textOf(block.part)).includes(identifier);
  });
}

function tell(hook: Hook, kind: RegretKind, departure: Departure, identifier: string | null = null): void {
  const { turn } = hook.session;
  const missed = identifier === null ? null : missedLine(readBook(hook), departure.blockId, identifier);
  hook.emit("regret.detected", {
    kind,
    block_id: departure.blockId,
    block_type: departure.type,
    tool_name: departure.toolName,
    identifier,
    line: missed?.line ?? null,
    need: missed?.estimate?.need ?? null,
    cut_off: missed?.estimate?.cutOff ?? null,
    policy: departure.policy,
    pass_id: departure.passId,
    evicted_turn: departure.turn,
    turn,
    turns_since: turn - departure.turn,
  });
}

function readBook({ services }: Hook): Book {
  services.analysis.readBlocks();
  return services.analysis.book;
}
