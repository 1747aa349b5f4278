import { initialBurn, noteTurn } from "../budget/index.ts";
import { recordPass } from "../compression/index.ts";
import { nextGenerations } from "../fidelity/index.ts";
import { chain, isClearedResult, messageFormats } from "../messages/index.ts";
import { type Block, type BlockType, componentOf, handleOf } from "../model/block.ts";
import type { CoreEvent, EventData, EventType } from "../model/events.ts";
import { isLearned } from "../model/window-source.ts";
import { EMPTY_BOOK, initialTask, type NoteBook, updateTask, withNote, withoutNote } from "../notes/index.ts";
import { foldPressure, initialPressure } from "../pressure/index.ts";
import { PROVIDER_COMPACTED, WITHDRAWN } from "./analysis.ts";
import {
  addBlock,
  addTokens,
  awaitResult,
  blockOf,
  discard,
  messageOf,
  orderUnits,
  type Parts,
  record,
  remember,
  remove,
  replace,
  resultArrived,
  shownDigest,
  stepTokens,
  sweep,
  touch,
  unitOf,
} from "./live-context.ts";
import { foldRegret } from "./regret-fold.ts";
import {
  CHECKPOINTS_KEPT,
  type Checkpoint,
  type Delegation,
  type ManagedMessage,
  RULES_KEPT,
  type Session,
  TEXTS_KEPT,
  TOOLS_MESSAGE_ID,
} from "./session.ts";

/** How many changes are kept for patches: a base older than that gets the full list. */
const CHANGES_KEPT = 4096;
/** Totals kept for sparklines in lists. */
const RECENT_TOTALS = 28;

/** Turns that passes wait after two in a row that freed next to nothing. */
const COOLDOWN_TURNS = 5;

type Apply<T extends EventType> = (session: Session, data: EventData[T], parts: Parts) => void;

/** One entry an event type that changes the state; the others are only observed. */
const APPLY: { readonly [T in EventType]?: Apply<T> } = {
  "session.opened": (session, data) => {
    session.agent = data.agent;
    session.profile = data.profile;
    session.model = data.model;
    session.format = data.message_format;
    session.maxTokens = data.max_context_tokens;
    session.windowGuessed = data.window_guessed;
    session.windowSource = data.window_source ?? { from: data.window_guessed ? "guessed" : "session", at: null };
    session.task = data.task;
    session.taskState = initialTask(data.task);
    session.ownSettings = data.settings;
    session.canRecall = data.can_recall;
    session.parent = data.parent ?? null;
    session.pressure = initialPressure();
    session.burn = initialBurn();
  },
  "session.configured": (session, data) => {
    session.ownSettings = data.settings;
    session.unfreeable = null;
  },
  "session.closed": (session) => {
    session.closed = true;
  },
  "window.opened": (session, data) => {
    session.windowId = data.window_id;
    session.windowNumber = data.number;
    session.windowOpened = { turn: session.turn, cause: data.cause };
    session.maxTokens = data.max_tokens;
    if (data.number === 1) return;
    // What an agent reported of the old window says nothing of this one.
    if (session.anchor?.source === "model_reported") session.anchor = null;
    expectEnvironment(session, data.checkpoint_id);
    session.floorReported = false;
    session.unfreeable = null;
  },
  "window.resized": (session, data) => {
    session.maxTokens = data.max_tokens;
    session.windowGuessed = false;
    // When it was learned is told by the end of the batch, which knows the time.
    session.windowSource = { from: data.learned_from === "configured" ? "session" : data.learned_from, at: null };
    session.unfreeable = null;
  },
  "turn.started": (session, data) => {
    session.turn = data.turn;
    session.turnOpen = true;
    session.overflowAttempts = 0;
  },
  "turn.ended": (session) => {
    session.turnOpen = false;
  },
  "usage.anchored": (session, data) => {
    session.anchor = { tokens: data.tokens, rawTokens: data.raw_tokens, source: data.source };
  },
  "pressure.measured": (session, data) => {
    // The event tells all of it: settings may have changed since.
    session.pressure = foldPressure(session.pressure, data);
    session.reading = {
      tokens: data.tokens,
      max_tokens: data.max_tokens,
      utilization: data.utilization,
      zone: data.zone,
      velocity_tokens_per_turn: data.velocity_tokens_per_turn,
      turns_until_red: data.turns_until_red,
      turns_until_red_p90: data.turns_until_red_p90,
      source: data.source,
      window_guessed: data.window_guessed,
    };
    if (data.moment !== "turn") return;
    session.burn = noteTurn(session.burn, session.componentTokens, session.freedSinceLastTurn);
    session.recentTokens.push(data.tokens);
    if (session.recentTokens.length > RECENT_TOTALS) session.recentTokens.shift();
    session.rawAtLastTurn = session.rawTokens;
    session.freedSinceLastTurn = {};
  },
  "status.changed": (session, data) => {
    session.status = data.to;
  },
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
  "block.truncated": (session, data, parts) => {
    const block = blockOf(session, data.block_id);
    // What was cut on arrival was never taken in.
    if (data.pass_id === null) session.tokensArrived -= data.tokens_before - data.tokens_after;
    remember(session, {
      ...record(block, session.turn),
      method: "truncate",
      passId: data.pass_id,
      policy: null,
      score: null,
      scoreParts: null,
      rule: data.rule,
      tokensAfter: data.tokens_after,
    });
    replace(session, block, data.hash, parts, data.tokens_after, "truncated");
  },
  "block.summarized": (session, data, parts) => {
    const block = blockOf(session, data.block_id);
    remember(session, {
      ...record(block, data.turn),
      method: "summarize",
      passId: data.pass_id,
      policy: null,
      score: null,
      scoreParts: null,
      rule: data.rule,
      tokensAfter: data.tokens_after,
    });
    replace(session, block, data.hash, parts, data.tokens_after, "summarized");
  },
  "block.evicted": (session, data, parts) => {
    const block = blockOf(session, data.block_id);
    remember(session, {
      ...record(block, data.turn),
      method: data.method,
      passId: data.pass_id,
      policy: data.policy,
      score: data.score,
      scoreParts: data.score_parts,
      rule: data.rule,
      tokensAfter: data.tokens_after,
    });
    if (data.replacement_hash !== null) {
      replace(session, block, data.replacement_hash, parts, data.tokens_after, data.state);
      return;
    }
    const message = session.messageById.get(block.messageId);
    remove(session, block);
    if (message?.gone && message.digest !== "") session.departed.add(message.digest);
  },
  "block.merged": (session, data, parts) => {
    const block = blockOf(session, data.block_id);
    remember(session, {
      ...record(block, data.turn),
      method: "merge",
      passId: data.pass_id,
      policy: data.policy,
      score: data.score,
      scoreParts: { similarity: data.similarity },
      rule: data.rule,
      tokensAfter: data.tokens_after,
      intoBlockId: data.into_block_id,
    });
    replace(session, block, data.replacement_hash, parts, data.tokens_after, "merged");
  },
  "block.pinned": (session, data) => {
    blockOf(session, data.block_id).pinned = true;
  },
  "block.unpinned": (session, data) => {
    blockOf(session, data.block_id).pinned = false;
    session.unfreeable = null;
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
  "provider.edited": (session) => {
    sweep(session);
  },
  "recall.served": (session, { block_id: blockId }) => {
    const after = session.nextBlock - 1;
    const isNew = !session.recalls.some((recall) => recall.blockId === blockId && recall.after === after);
    if (isNew) session.recalls = [...session.recalls, { blockId, after }];
  },
  "history.diverged": (session, data) => {
    session.sentCount = data.sent_count;
    session.sentChain = data.sent_chain;
    sweep(session);
  },
  "history.compacted": (session, data) => {
    session.nextPass++;
    if (session.job !== null && session.job.id === data.job_id) session.job = null;
    const freed = data.tokens_before - data.tokens_after;
    session.lastEdit = { turn: session.turn, tokensFreed: freed, strategy: data.strategy };
    session.lastEditTurn = session.turn;
    session.tokensFreedTotal += Math.max(0, freed);
    notePass(session, data.tokens_before - data.target_tokens, freed);
    sweep(session);
    shrinkUnfreeable(session);
  },
  "ledger.rebuilt": (session, data) => {
    for (const id of data.removed_message_ids) removeOwn(session, id);
    session.ledger = { stable: data.stable_message_id, fresh: data.fresh_message_id };
    noteCarried(session, data.tokens_added);
  },
  "summary.rewritten": (session, data) => {
    removeOwn(session, data.removed_message_id);
    session.summary = {
      messageId: data.message_id,
      held: data.held,
      passId: data.pass_id,
      summarizer: data.summarizer,
      generation: data.generation,
    };
    noteCarried(session, data.tokens_added);
  },
  "compaction.started": (session, data) => {
    session.jobs++;
    session.job = {
      id: data.job_id,
      kind: data.kind,
      blockIds: data.block_ids,
      inputs: data.inputs,
      turn: data.turn,
      status: "running",
      text: null,
    };
  },
  "summary.prepared": (session, data) => {
    if (session.job?.id === data.job_id) session.job = { ...session.job, status: "ready", text: data.text };
  },
  "summary.dropped": (session, data) => {
    if (session.job?.id === data.job_id) session.job = null;
  },
  "results.prepared": (session, data) => {
    endResults(session, data.job_id, data.texts);
  },
  "summary.failed": (session, data) => {
    if (session.job?.id !== data.job_id) return;
    if (session.job.kind === "results") endResults(session, data.job_id, []);
    else session.job = { ...session.job, status: "failed" };
  },
  "fidelity.evaluated": (session, data) => {
    const { pass_id: passId, generation, score, judge } = data;
    const { generations } = session.fidelity;
    session.fidelity = {
      generations: judge === "lexical" ? nextGenerations(generations, generation, data.kept_probes) : generations,
      last: { passId, generation, score, judge },
    };
  },
  "note.written": (session, data) => {
    const { note_id: id, category, importance, text, tokens } = data;
    session.notes = withNote(session.notes, { id, category, importance, text, tokens, turn: session.turn });
  },
  "note.removed": (session, data) => {
    session.notes = withoutNote(session.notes, data.note_id);
  },
  "task.updated": (session, data) => {
    session.taskState = updateTask(session.taskState, data.update);
  },
  "constraint.reinserted": (session, { source, block_id: blockId, text }) => {
    if (source !== "user") return;
    const others = session.rules.filter((rule) => rule.text !== text);
    session.rules = [...others, { text, blockId }].slice(-RULES_KEPT);
  },
  "standing.rewritten": (session, data) => {
    removeOwn(session, data.removed_message_id);
    session.standing = data.message_id;
    // What it says was in the context before, or is known to the agent that said it: no growth.
    const message = session.messageById.get(data.message_id ?? "");
    if (!message) return;
    freeBeforehand(session, "user_message", message.overheadTokens);
    for (const block of message.blocks) freeBeforehand(session, block.type, block.tokens);
  },
  "budget.soft_exceeded": (session, data) => {
    session.budgetStates = { ...session.budgetStates, [data.component]: "soft" };
  },
  "budget.hard_exceeded": (session, data) => {
    session.budgetStates = { ...session.budgetStates, [data.component]: "hard" };
  },
  "budget.recovered": (session, data) => {
    session.budgetStates = { ...session.budgetStates, [data.component]: data.state };
  },
  "compaction.skipped": (session, data) => {
    if (data.reason === "no_candidates" || data.reason === "nothing_saved") notePass(session, 1, 0);
  },
  "compaction.failed": (session) => {
    session.unfreeable = session.rawTokens - stepTokens(session);
  },
  "delegation.opened": (session, data) => {
    const opened: Delegation = {
      childSessionId: data.child_session_id,
      title: data.title,
      status: "open",
      budgetTokens: data.budget_tokens,
      openedTurn: data.turn,
      result: null,
      closedTurn: null,
    };
    session.delegations = { ...session.delegations, [data.delegation_id]: opened };
  },
  "delegation.closed": (session, data) => {
    const { delegation_id: id, status, result_hash: hash, handle, tokens_before: tokens, turn } = data;
    const opened = session.delegations[id];
    if (!opened) throw new Error(`event names delegation ${id}, which the session does not have`);
    const result = hash === null || handle === null ? null : { hash, handle, tokens };
    session.delegations = { ...session.delegations, [id]: { ...opened, status, result, closedTurn: turn } };
  },
  "alert.raised": (session, { alert, severity, summary, turn }) => {
    session.alerts = { ...session.alerts, [alert]: { severity, summary, since_turn: turn } };
  },
  "alert.resolved": (session, { alert }) => {
    const { [alert]: _, ...left } = session.alerts;
    session.alerts = left;
  },
  "floor.detected": (session) => {
    session.floorReported = true;
  },
  "overflow.reported": (session, data) => {
    if (data.attempt > 0) session.overflowAttempts = data.attempt;
  },
  "session.resumed": (session, data) => {
    expectEnvironment(session, data.checkpoint_id);
  },
  "bootstrap.verified": (session) => {
    session.expectedEnvironment = null;
  },
  "checkpoint.saved": (session, data) => {
    const saved: Checkpoint = {
      id: data.checkpoint_id,
      windowId: data.window_id,
      windowNumber: data.window_number,
      stateVersion: data.state_version,
      turn: session.turn,
      reason: data.reason,
      hash: data.hash,
      bytes: data.bytes,
      savedAt: data.saved_at,
      ttlSeconds: data.ttl_seconds,
    };
    session.checkpoints = [...session.checkpoints, saved].slice(-CHECKPOINTS_KEPT);
    session.checkpointsSaved++;
  },
  "checkpoint.restored": (session, { state, state_version }) => {
    session.task ??= state.stated;
    session.taskState = updateTask(session.taskState, state.task);
    session.notes = state.notes.reduce<NoteBook>(
      (book, { note_id: id, ...note }) => withNote(book, { ...note, id, turn: session.turn }),
      { ...EMPTY_BOOK, next: session.notes.next },
    );
    session.rules = state.rules.map((text) => ({ text, blockId: null }));
    removeOwn(session, session.summary?.messageId ?? null);
    session.summary = state.summary && {
      messageId: null,
      held: state.summary.text,
      passId: "",
      summarizer: "extractive",
      generation: state.summary.generation,
    };
    session.stateVersion = Math.max(session.stateVersion, state_version);
  },
};

/** Events that change what a checkpoint holds. */
const CHANGES_STATE: ReadonlySet<EventType> = new Set([
  "window.closed",
  "task.updated",
  "note.written",
  "note.removed",
  "constraint.reinserted",
  "summary.rewritten",
  "delegation.opened",
  "delegation.closed",
  "checkpoint.restored",
]);

/** Applies one event in place. Throws when the event does not fit the state: the journal is damaged or a bug. */
export function apply(session: Session, event: CoreEvent, parts: Parts): void {
  foldRegret(session, event);
  const change = APPLY[event.type] as Apply<EventType> | undefined;
  change?.(session, event.data, parts);
  if (CHANGES_STATE.has(event.type)) session.stateVersion++;
}

/** Ends the batch of one hook: the revision rises by one when the managed context changed. */
export function closeBatch(session: Session, at: number): void {
  session.position++;
  session.lastSeen = at;
  const { from, at: learnedAt } = session.windowSource;
  if (learnedAt === null && isLearned(from)) session.windowSource = { from, at };
  if (session.dirty.size === 0) return;
  session.revision++;
  for (const [messageId, added] of session.dirty) {
    session.changes.push({ revision: session.revision, messageId, added });
  }
  if (session.changes.length > 2 * CHANGES_KEPT) session.changes = session.changes.slice(-CHANGES_KEPT);
  session.dirty = new Map();
}

/** Takes a message of contextd's own out; an agent may have taken it for one of its own. */
function removeOwn(session: Session, id: string | null): void {
  if (id === null) return;
  const message = messageOf(session, id);
  session.departed.add(shownDigest(message));
  for (const block of [...message.blocks]) remove(session, block);
}

/** What is carried over is no growth: it was in the context before. */
function noteCarried(session: Session, tokensAdded: number): void {
  const { message_history = 0 } = session.freedSinceLastTurn;
  session.freedSinceLastTurn.message_history = message_history - tokensAdded;
}

/** Keeps the texts that came, and which results there are none for: a model is asked once for what a result holds. */
function endResults(session: Session, jobId: string, texts: EventData["results.prepared"]["texts"]): void {
  const { job } = session;
  if (job?.id !== jobId) return;
  const given = new Map(texts.map(({ block_id, part_hash, text }) => [block_id, { partHash: part_hash, text }]));
  const kept = new Map(Object.entries(session.preparedTexts));
  for (const id of job.blockIds) {
    const block = session.blocks.get(id);
    if (!block) continue;
    kept.delete(id);
    kept.set(id, given.get(id) ?? { partHash: block.partHash, text: null });
  }
  session.preparedTexts = Object.fromEntries([...kept].slice(-TEXTS_KEPT));
  session.job = null;
}

/** What is gone can no longer be among what could not be freed. */
function shrinkUnfreeable(session: Session): void {
  if (session.unfreeable === null) return;
  session.unfreeable = Math.min(session.unfreeable, session.rawTokens - stepTokens(session));
}

/** What the agent tells of its environment next is held to what is known of it now. */
function expectEnvironment(session: Session, checkpointId: string | null): void {
  const { environment } = session.taskState;
  session.expectedEnvironment = Object.keys(environment).length === 0 ? null : { checkpointId, environment };
}

/** Makes up for what came in that is no growth. */
function freeBeforehand(session: Session, type: BlockType, tokens: number): void {
  const component = componentOf(type);
  session.freedSinceLastTurn[component] = (session.freedSinceLastTurn[component] ?? 0) - tokens;
}

/** A pass with nothing to show for it counts against the breaker. */
function notePass(session: Session, targetTokens: number, tokensFreed: number): void {
  const pass = { turn: session.turn, targetTokens, tokensFreed };
  session.breaker = recordPass(session.breaker, pass, COOLDOWN_TURNS).state;
}
