import { chain, isClearedResult, messageFormats } from "../../messages/index.ts";
import { type Block, handleOf } from "../../model/block.ts";
import { PROVIDER_COMPACTED, WITHDRAWN } from "../analysis.ts";
import {
  addBlock,
  addTokens,
  awaitResult,
  blockOf,
  discard,
  messageOf,
  orderUnits,
  record,
  remember,
  remove,
  resultArrived,
  shrinkUnfreeable,
  sweep,
  touch,
  unitOf,
} from "../live-context.ts";
import { type ManagedMessage, TOOLS_MESSAGE_ID } from "../session.ts";
import type { Folds } from "./fold.ts";

/** What comes into the context, and what the agent or the provider takes out. */
export const contextFolds = {
  "message.added": (session, data) => {
    const message: ManagedMessage = {
      id: data.message_id,
      role: data.role,
      turn: data.turn,
      envelope: data.envelope,
      source: data.source,
      overheadTokens: data.overhead_tokens,
      blocks: [],
      digest: data.digest,
      gone: false,
    };
    session.nextMessage++;
    session.messageById.set(message.id, message);
    const component = message.role === "system" ? "system_prompt" : "user_message";
    addTokens(session, component, message.overheadTokens);
    if (message.source === "agent") session.tokensArrived += message.overheadTokens;
    if (data.after === undefined) session.messages.push(message);
    else {
      const before = session.messages.findIndex((each) => each.id === data.after);
      session.messages.splice(before + 1, 0, message);
    }
    if (data.source === "agent" && data.digest !== "") {
      session.sentCount++;
      session.sentChainBefore = session.sentChain;
      session.sentChain = chain(session.sentChain, data.digest);
    }
    session.dirty.set(message.id, true);
  },
  "message.extended": (session, data) => {
    const message = messageOf(session, data.message_id);
    session.sentChain = data.sent_chain;
    message.digest = data.digest;
    touch(session, message.id);
  },
  "message.removed": (session, data) => {
    const message = messageOf(session, data.message_id);
    // The agent's own list still shows what only the provider has stopped reading.
    if (data.cause === "provider" && message.digest !== "") session.departed.add(message.digest);
    for (const block of [...message.blocks]) {
      remember(session, {
        ...record(block, session.turn),
        method: "drop",
        passId: null,
        policy: null,
        score: null,
        scoreParts: null,
        rule: data.cause === "provider" ? PROVIDER_COMPACTED : WITHDRAWN,
        tokensAfter: 0,
      });
      remove(session, block);
    }
    if (!message.gone) discard(session, message);
    shrinkUnfreeable(session);
  },
  "block.added": (session, data, parts) => {
    const part = parts(data.hash, data.tool?.callId ?? null);
    const block: Block = {
      id: data.block_id,
      messageId: data.message_id,
      unitId: data.unit_id,
      type: data.type,
      turn: data.turn,
      tool: data.tool,
      hash: data.hash,
      handle: handleOf(data.hash),
      originalTokens: data.tokens,
      approximate: data.approximate,
      part,
      partHash: data.hash,
      tokens: data.tokens,
      // A placeholder that came in holds nothing that could be taken out of it.
      state: isClearedResult(part) ? "cleared" : "whole",
      pinned: false,
      generation: 0,
      lastReferencedTurn: null,
      referenceCount: 0,
    };
    session.nextBlock++;
    session.blocks.set(block.id, block);
    addTokens(session, block.type, block.tokens);
    if (session.messageById.get(data.message_id)?.source !== "contextd") session.tokensArrived += block.tokens;
    if (data.message_id === TOOLS_MESSAGE_ID) {
      session.tools.push(block);
      return;
    }
    const message = messageOf(session, data.message_id);
    addBlock(message, block);
    const { role, envelope } = message;
    session.unpatchable ||= messageFormats[session.format].mayBeSettled({ role, envelope, parts: [part] });
    const isNew = !session.units.has(data.unit_id);
    const unit = unitOf(session, data.unit_id, data.turn);
    addBlock(unit, block);
    if (isNew && message !== session.messages.at(-1)) orderUnits(session);
    unit.tokens += block.tokens;
    if (part.kind === "tool_call") {
      awaitResult(unit, part.callId);
      session.unitOfCall.set(part.callId, unit.id);
    } else if (part.kind === "tool_result") resultArrived(unit, part.callId);
    touch(session, data.message_id);
  },
  "block.pinned": (session, data) => {
    blockOf(session, data.block_id).pinned = true;
  },
  "block.unpinned": (session, data) => {
    blockOf(session, data.block_id).pinned = false;
    session.unfreeable = null;
  },
  "provider.edited": (session) => {
    sweep(session);
  },
  "history.diverged": (session, data) => {
    session.sentCount = data.sent_count;
    session.sentChain = data.sent_chain;
    sweep(session);
  },
  "recall.served": (session, { block_id: blockId }) => {
    const after = session.nextBlock - 1;
    const isNew = !session.recalls.some((recall) => recall.blockId === blockId && recall.after === after);
    if (isNew) session.recalls = [...session.recalls, { blockId, after }];
  },
} satisfies Folds;
