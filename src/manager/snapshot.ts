import type { Block } from "../model/block.ts";
import type { SessionKey } from "../model/session-key.ts";
import { fromStored, type StoredRegret, toStored } from "../regret/index.ts";
import { addBlock, awaitResult, type Parts, unitOf } from "./live-context.ts";
import { type EditRecord, type ManagedMessage, newSession, type Session, TOOLS_MESSAGE_ID } from "./session.ts";

/** Rises when the shape of a snapshot changes; a session whose snapshot has another version cannot be read back. */
const SNAPSHOT_VERSION = 4;

/** Fields that JSON carries as they are. */
const PLAIN = [
  "agent",
  "profile",
  "model",
  "format",
  "ownSettings",
  "task",
  "taskState",
  "notes",
  "canRecall",
  "closed",
  "windowId",
  "windowNumber",
  "windowOpened",
  "stateVersion",
  "checkpoints",
  "checkpointsSaved",
  "expectedEnvironment",
  "maxTokens",
  "windowGuessed",
  "windowSource",
  "turn",
  "turnOpen",
  "overflowAttempts",
  "revision",
  "position",
  "nextBlock",
  "nextMessage",
  "nextUnit",
  "nextPass",
  "rawTokens",
  "componentTokens",
  "anchor",
  "pressure",
  "reading",
  "status",
  "burn",
  "budgetStates",
  "rawAtLastTurn",
  "freedSinceLastTurn",
  "sentCount",
  "sentChain",
  "sentChainBefore",
  "changes",
  "unpatchable",
  "ledger",
  "summary",
  "job",
  "jobs",
  "preparedTexts",
  "fidelity",
  "standing",
  "rules",
  "broughtBack",
  "recalls",
  "recentTokens",
  "lastEdit",
  "lastEditTurn",
  "tokensFreedTotal",
  "breaker",
  "floorReported",
  "unfreeable",
  "health",
  "alerts",
  "parent",
  "delegations",
  "tokensArrived",
  "lastSeen",
  "analysedThrough",
  "snapshotPosition",
] as const satisfies readonly (keyof Session)[];

type StoredBlock = Omit<Block, "part">;

interface Snapshot {
  readonly version: number;
  readonly plain: Pick<Session, (typeof PLAIN)[number]>;
  readonly messages: readonly (Omit<ManagedMessage, "blocks"> & { readonly blocks: readonly string[] })[];
  readonly blocks: readonly StoredBlock[];
  readonly units: readonly { readonly id: number; readonly turn: number; readonly pending: readonly string[] }[];
  readonly departed: readonly string[];
  readonly edits: readonly EditRecord[];
  readonly regret: StoredRegret;
}

/** The session as JSON text, without contents: they are named by address. */
export function toSnapshot(session: Session): string {
  const snapshot: Snapshot = {
    version: SNAPSHOT_VERSION,
    plain: Object.fromEntries(PLAIN.map((field) => [field, session[field]])) as Snapshot["plain"],
    messages: session.messages.map(({ blocks, ...message }) => ({ ...message, blocks: blocks.map((each) => each.id) })),
    blocks: [...session.blocks.values()].map(({ part: _, ...fields }) => fields),
    units: [...session.units.values()].map((unit) => ({
      id: unit.id,
      turn: unit.turn,
      pending: [...unit.pendingCalls],
    })),
    departed: [...session.departed],
    edits: [...session.edits.values()],
    regret: toStored(session.regret),
  };
  return JSON.stringify(snapshot);
}

/** Addresses of contents that a session read back from a snapshot stands on. */
export interface SnapshotHashes {
  readonly live: readonly string[];
  /** What its edited blocks held when they came. */
  readonly edited: readonly string[];
  /** What lately left. */
  readonly departed: readonly string[];
}

/** The contents that a snapshot names; null when its version is not ours. */
export function snapshotHashes(body: string): SnapshotHashes | null {
  const snapshot = JSON.parse(body) as Snapshot;
  if (snapshot.version !== SNAPSHOT_VERSION) return null;
  return {
    live: snapshot.blocks.map((block) => block.partHash),
    edited: snapshot.edits.map((edit) => edit.hash),
    departed: snapshot.regret.departures.map((departure) => departure.hash),
  };
}

/** Inverse of `toSnapshot`. */
export function fromSnapshot(key: SessionKey, body: string, parts: Parts): Session {
  const snapshot = JSON.parse(body) as Snapshot;
  const session = Object.assign(newSession(key), snapshot.plain);
  for (const { id, turn, pending } of snapshot.units) {
    const unit = unitOf(session, id, turn);
    for (const callId of pending) awaitResult(unit, callId);
  }
  for (const fields of snapshot.blocks) {
    const block: Block = { ...fields, part: parts(fields.partHash, fields.tool?.callId ?? null) };
    session.blocks.set(block.id, block);
    if (block.messageId === TOOLS_MESSAGE_ID) {
      session.tools.push(block);
      continue;
    }
    const unit = session.units.get(block.unitId);
    if (unit) {
      addBlock(unit, block);
      unit.tokens += block.tokens;
    }
    if (block.part.kind === "tool_call") session.unitOfCall.set(block.part.callId, block.unitId);
  }
  for (const { blocks, ...fields } of snapshot.messages) {
    const message: ManagedMessage = { ...fields, blocks: blocks.map((id) => session.blocks.get(id) as Block) };
    session.messages.push(message);
    session.messageById.set(message.id, message);
  }
  for (const digest of snapshot.departed) session.departed.add(digest);
  for (const edit of snapshot.edits) {
    session.edits.set(edit.blockId, edit);
    session.editByHandle.set(edit.handle, edit);
  }
  session.regret = fromStored(snapshot.regret);
  return session;
}

/** What a snapshot tells of the context and the course of its session without any content. */
export function snapshotOutline(body: string): {
  readonly plain: Pick<
    Session,
    "position" | "turn" | "turnOpen" | "windowNumber" | "maxTokens" | "reading" | "summary" | "nextPass"
  >;
  readonly messages: readonly { readonly id: string; readonly gone: boolean }[];
  readonly blocks: readonly Omit<Block, "part">[];
} {
  const { version, plain, messages, blocks } = JSON.parse(body) as Snapshot;
  if (version !== SNAPSHOT_VERSION)
    throw new Error("the session's snapshot was written by another version of contextd");
  return { plain, messages, blocks };
}
