import { messageDigest, partDigest } from "../messages/index.ts";
import { type Block, type BlockType, componentOf } from "../model/block.ts";
import type { Part } from "../model/part.ts";
import type { Unit } from "../model/unit.ts";
import type { EditRecord, ManagedMessage, Session } from "./session.ts";

/** Shared by the units that wait for nothing, which most do: a set of its own weighs more than the unit. */
const NO_CALLS: ReadonlySet<string> = new Set();

/** What an event needs beside its data: the parts that its hashes name. */
export type Parts = (hash: string, callId: string | null) => Part;

/** Adds to the totals; negative amounts take away. */
export function addTokens(session: Session, type: BlockType, tokens: number): void {
  session.rawTokens += tokens;
  session.componentTokens[componentOf(type)] += tokens;
}

/** Notes what was freed, so that growth counts what was added. */
function free(session: Session, type: BlockType, tokens: number): void {
  const component = componentOf(type);
  session.freedSinceLastTurn[component] = (session.freedSinceLastTurn[component] ?? 0) + tokens;
}

/** Makes up for what came in that is no growth: it was in the context before. */
export function notGrown(session: Session, type: BlockType, tokens: number): void {
  free(session, type, -tokens);
}

/** Notes that a message changed in this batch: what a patch is made of. */
export function touch(session: Session, messageId: string): void {
  if (!session.dirty.has(messageId)) session.dirty.set(messageId, false);
}

/** The live message of that id. Throws: an event names only what is there. */
export function messageOf(session: Session, id: string): ManagedMessage {
  const message = session.messageById.get(id);
  if (!message) throw new Error(`event names message ${id}, which is not in the context`);
  return message;
}

/** The live block of that id. Throws, as `messageOf` does. */
export function blockOf(session: Session, id: string): Block {
  const block = session.blocks.get(id);
  if (!block) throw new Error(`event names block ${id}, which is not in the context`);
  return block;
}

/** The unit of that number, made at its first block. */
export function unitOf(session: Session, id: number, turn: number): Unit {
  const known = session.units.get(id);
  if (known) return known;
  const unit: Unit = { id, turn, blocks: [], tokens: 0, pendingCalls: NO_CALLS };
  session.units.set(id, unit);
  session.nextUnit = Math.max(session.nextUnit, id + 1);
  return unit;
}

/** The unit waits for the result of one more call. */
export function awaitResult(unit: Unit, callId: string): void {
  if (unit.pendingCalls === NO_CALLS) unit.pendingCalls = new Set();
  (unit.pendingCalls as Set<string>).add(callId);
}

/** The unit waits for this result no more. */
export function resultArrived(unit: Unit, callId: string): void {
  if (unit.pendingCalls === NO_CALLS) return;
  (unit.pendingCalls as Set<string>).delete(callId);
  if (unit.pendingCalls.size === 0) unit.pendingCalls = NO_CALLS;
}

/** Appends to a message's or unit's blocks. Most have one, and an array that is pushed to has room for 17. */
export function addBlock(holder: { blocks: Block[] }, block: Block): void {
  if (holder.blocks.length === 0) holder.blocks = [block];
  else holder.blocks.push(block);
}

/** Puts the units in the order of the context: one came with a message that is not the last. */
export function orderUnits(session: Session): void {
  const units = new Map(session.units);
  session.units.clear();
  for (const { unitId } of session.messages.flatMap((message) => message.blocks)) {
    const unit = units.get(unitId);
    if (unit) session.units.set(unitId, unit);
  }
}

/** What every edit record of a block has. */
export function record(block: Block, turn: number) {
  return {
    blockId: block.id,
    unitId: block.unitId,
    hash: block.hash,
    handle: block.handle,
    callId: block.tool?.callId ?? null,
    type: block.type,
    toolName: block.tool?.name ?? null,
    arrived: block.turn,
    turn,
    tokensBefore: block.tokens,
  };
}

/** The latest edit stands last, so that a handle that several blocks share leads to the one edited last. */
export function remember(session: Session, edit: EditRecord): void {
  session.edits.delete(edit.blockId);
  session.edits.set(edit.blockId, edit);
  session.editByHandle.set(edit.handle, edit);
}

/** Puts other content in a block's place. */
export function replace(
  session: Session,
  block: Block,
  hash: string,
  parts: Parts,
  tokens: number,
  state: Block["state"],
): void {
  const change = tokens - block.tokens;
  forgetPrepared(session, block);
  addTokens(session, block.type, change);
  if (change < 0) free(session, block.type, -change);
  const unit = session.units.get(block.unitId);
  if (unit) unit.tokens += change;
  block.part = parts(hash, block.tool?.callId ?? null);
  block.partHash = hash;
  block.tokens = tokens;
  block.state = state;
  if (state !== "truncated") block.generation++;
  touch(session, block.messageId);
}

/** A text that was made for what a block held goes with that. */
function forgetPrepared(session: Session, { id }: Block): void {
  if (session.preparedTexts[id] === undefined) return;
  const { [id]: _, ...left } = session.preparedTexts;
  session.preparedTexts = left;
}

/** What was brought back in this block has left again. */
function forgetBroughtBack(session: Session, { id }: Block): void {
  if (session.broughtBack[id] === undefined) return;
  const { [id]: _, ...left } = session.broughtBack;
  session.broughtBack = left;
}

/** The live block that holds what was brought back of a block that had left, as it was brought; undefined: none does. */
export function broughtBackIn({ broughtBack, blocks }: Session, blockId: string): Block | undefined {
  const holder = Object.keys(broughtBack).find((id) => broughtBack[id] === blockId);
  const block = holder === undefined ? undefined : blocks.get(holder);
  return block?.state === "whole" ? block : undefined;
}

/** Takes a block out, and its unit and message with the last of theirs. */
export function remove(session: Session, block: Block): void {
  session.blocks.delete(block.id);
  forgetPrepared(session, block);
  forgetBroughtBack(session, block);
  addTokens(session, block.type, -block.tokens);
  free(session, block.type, block.tokens);
  const unit = session.units.get(block.unitId);
  if (unit) {
    unit.blocks.splice(unit.blocks.indexOf(block), 1);
    unit.tokens -= block.tokens;
    if (block.part.kind === "tool_call" && session.unitOfCall.get(block.part.callId) === unit.id) {
      session.unitOfCall.delete(block.part.callId);
    }
    if (unit.blocks.length === 0) session.units.delete(unit.id);
  }
  const message = session.messageById.get(block.messageId);
  if (!message) return;
  message.blocks.splice(message.blocks.indexOf(block), 1);
  touch(session, message.id);
  if (message.blocks.length === 0) discard(session, message);
}

/** Takes a message's own tokens away and marks it; `sweep` takes it from the list, once a pass. */
export function discard(session: Session, message: ManagedMessage): void {
  message.gone = true;
  session.messageById.delete(message.id);
  touch(session, message.id);
  const type = message.role === "system" ? "system_prompt" : "user_message";
  addTokens(session, type, -message.overheadTokens);
  free(session, type, message.overheadTokens);
}

/** Identity of a message as the context shows it now: an agent may have taken it for its own. */
export function shownDigest({ role, blocks }: ManagedMessage): string {
  return messageDigest(
    role,
    blocks.map((block) => partDigest(block.part)),
  );
}

/**
 * Raw tokens of the step under way: the newest assistant message and all that came behind it, the task statement not
 * counted. Passes leave it as it is, and may take it once the next step has begun. Costs what the step holds.
 */
export function stepTokens({ messages }: Session): number {
  const task = messages.findIndex(({ role }) => role === "user");
  let tokens = 0;
  for (let index = messages.length - 1; index > task; index--) {
    const message = messages[index] as ManagedMessage;
    if (message.gone || message.role === "system" || message.source === "contextd") continue;
    tokens += message.overheadTokens;
    for (const block of message.blocks) tokens += block.tokens;
    if (message.role === "assistant") break;
  }
  return tokens;
}

/** Takes the messages that are gone out of the list. */
export function sweep(session: Session): void {
  session.messages = session.messages.filter((message) => !message.gone);
}

/** Takes a message of contextd's own out; an agent may have taken it for one of its own. */
export function removeOwn(session: Session, id: string | null): void {
  if (id === null) return;
  const message = messageOf(session, id);
  session.departed.add(shownDigest(message));
  for (const block of [...message.blocks]) remove(session, block);
}

/** What is gone can no longer be among what could not be freed. */
export function shrinkUnfreeable(session: Session): void {
  if (session.unfreeable === null) return;
  session.unfreeable = Math.min(session.unfreeable, session.rawTokens - stepTokens(session));
}
