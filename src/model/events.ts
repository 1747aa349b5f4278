import type { BlockState, BlockType, Component, ToolUse } from "./block.ts";
import type { JsonObject } from "./json.ts";
import type { MessageFormatName, Role } from "./message.ts";
import type { NoteCategory, NoteImportance } from "./note.ts";
import type { KeptProbe, ProbeType } from "./probe.ts";
import type { TaskUpdate } from "./task.ts";
import type { LearnedFrom, WindowSource } from "./window-source.ts";
import type { Reading, Status, Zone } from "./zone.ts";

/** The task as the agent stated it. Protected: byte-identical after any number of passes. */
export interface Task {
  readonly goal: string;
  readonly success_criteria: readonly string[];
  readonly constraints: readonly string[];
}

/** How an edit changed a block. `clear`: result to placeholder; `clear_input`: call arguments to a placeholder. */
export const EDIT_METHODS = ["clear", "clear_input", "drop", "merge", "truncate", "summarize"] as const;
export type EditMethod = (typeof EDIT_METHODS)[number];

/** The delegation that a child session works for. */
export interface Parent {
  readonly session_id: string;
  readonly delegation_id: string;
  /** 1 below a session that works for itself. */
  readonly depth: number;
  /** Tokens that the child may take in. */
  readonly budget_tokens: number;
}

export const DELEGATION_OUTCOMES = ["done", "failed", "cancelled"] as const;
export type DelegationOutcome = (typeof DELEGATION_OUTCOMES)[number];

export const SEVERITIES = ["critical", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Why a window was opened; those behind `session` are also why the one before it was closed. */
export const WINDOW_CAUSES = ["session", "cross_window_save", "overflow", "requested", "checkpoint"] as const;
export type WindowCause = (typeof WINDOW_CAUSES)[number];

export const PROVIDER_EDIT_KINDS = ["compaction", "clear_tool_uses", "clear_thinking", "other"] as const;
/** What a provider did to the prompt itself. */
export type ProviderEditKind = (typeof PROVIDER_EDIT_KINDS)[number];

export const CHECKPOINT_REASONS = [
  "milestone",
  "threshold",
  "overflow",
  "window_change",
  "close",
  "requested",
] as const;
/** Why a checkpoint was saved. */
export type CheckpointReason = (typeof CHECKPOINT_REASONS)[number];

/** What a session takes over from a checkpoint. */
export interface RestoredState {
  /** The task as it was stated; null: none was. */
  readonly stated: Task | null;
  /** Replaces all that is known of the task. */
  readonly task: TaskUpdate;
  readonly notes: readonly {
    readonly note_id: string;
    readonly category: NoteCategory;
    readonly importance: NoteImportance;
    readonly text: string;
    /** Uncalibrated. */
    readonly tokens: number;
  }[];
  /** Rules of the user, verbatim. */
  readonly rules: readonly string[];
  /** What had happened, by sections, and how many times it had been folded. */
  readonly summary: { readonly text: string; readonly generation: number } | null;
}

/** What a pass compared before it edited. Prices are relative to a fresh input token. */
export interface GateFigures {
  readonly read_price: number;
  readonly write_price: number;
  readonly tokens_freed: number;
  readonly tokens_rewritten: number;
  readonly expected_remaining_turns: number;
  /** tokens_freed * read_price * expected_remaining_turns */
  readonly saving: number;
  /** tokens_rewritten * (write_price - read_price) */
  readonly cost: number;
  readonly decided: boolean;
}

/** Where one row of the ledger comes from. */
export interface LedgerEntry {
  readonly segment: "stable" | "fresh";
  /** The newest block that held the line when it was chosen; null: not known any more. */
  readonly block_id: string | null;
  /** Number of the line in that block's original text, from 1; null where it is no line of it, as a leaf of JSON. */
  readonly line: number | null;
  /** Expected weight of the needs that the line meets, by the need model, when it was chosen; null: not known. */
  readonly need: number | null;
}

/**
 * Every event of the daemon, by type: the only way out of the core. Session events are journalled (the state
 * is a fold over them); daemon events are only observed. Keys are flat and snake case: they are a wire shape.
 * docs/events.md is tested against this map.
 */
export interface EventData {
  "session.opened": {
    agent: string;
    profile: string;
    model: string;
    message_format: MessageFormatName;
    max_context_tokens: number;
    window_guessed: boolean;
    window_source: WindowSource;
    task: Task | null;
    /** The session's own settings over its profile's, as given. */
    settings: JsonObject;
    can_recall: boolean;
    /** The delegation that the session works for; null: nobody's. */
    parent: Parent | null;
  };
  "session.configured": { settings: JsonObject };
  "session.closed": { reason: string; turns: number; revision: number };
  /** The agent asked for an open session again: it goes on with it, in this process or another. */
  "session.resumed": { turn: number; window_id: string; window_number: number; checkpoint_id: string | null };
  "window.opened": {
    window_id: string;
    number: number;
    max_tokens: number;
    cause: WindowCause;
    /** The checkpoint that it goes on from; null: it is the first. */
    checkpoint_id: string | null;
  };
  "window.closed": { window_id: string; number: number; reason: string };
  "turn.started": { turn: number };
  "turn.ended": {
    turn: number;
    stop_reason: string | null;
    input_tokens: number | null;
    output_tokens: number | null;
    cache_read_input_tokens: number | null;
    cache_creation_input_tokens: number | null;
    /** Tokens of the prompt as the provider counted them, cached ones included; null when it did not say, or summarised the prompt itself. */
    prompt_tokens: number | null;
    /** Uncalibrated estimate of the same prompt, less what the provider reports to have cleared. */
    estimated_tokens: number;
  };
  /** The provider or agent told the true size of the context: it replaces the estimate. */
  "usage.anchored": { tokens: number; raw_tokens: number; source: "model_reported" | "anchored" };
  "window.resized": { max_tokens: number; learned_from: LearnedFrom | "configured" };
  /** `moment`: at a turn's start, within a turn (a result, an answer), or after an edit. */
  "pressure.measured": Reading & {
    growth_tokens: number;
    turn: number;
    moment: "turn" | "within" | "edit";
    /** Share of the context's tokens that are tool results, 0 to 1; absent where an older version told it. */
    tool_result_bloat?: number;
    /**
     * Uncalibrated tokens of the context by component; one that holds nothing is left out. Absent where an older version
     * told it.
     */
    components?: Partial<Record<Component, number>>;
  };
  "zone.changed": {
    from: Zone;
    to: Zone;
    utilization: number;
    tokens: number;
    velocity: number | null;
    turns_until_red: number | null;
    cause: "growth" | "edit" | "forecast" | "configured";
  };
  "velocity.spiked": { growth_tokens: number; baseline_tokens: number; turn: number };
  "status.changed": { from: Status; to: Status };
  "budget.soft_exceeded": { component: Component; used_tokens: number; limit_tokens: number };
  "budget.hard_exceeded": { component: Component; used_tokens: number; limit_tokens: number };
  /** A component is back below a limit it had exceeded. */
  "budget.recovered": { component: Component; used_tokens: number; state: "ok" | "soft" };
  "message.added": {
    message_id: string;
    role: Role;
    turn: number;
    envelope: JsonObject;
    source: "agent" | "contextd";
    overhead_tokens: number;
    /** Identity of the message for recognising it in a full history: see messages/history. */
    digest: string;
    /** Id of the message it stands behind; null: first. Absent: at the end. */
    after?: string | null;
  };
  /** A block joined a message that was already there (results of one assistant message share a message). */
  "message.extended": { message_id: string; digest: string; sent_chain: string };
  "block.added": {
    block_id: string;
    message_id: string;
    unit_id: number;
    type: BlockType;
    turn: number;
    tool: ToolUse | null;
    hash: string;
    tokens: number;
    approximate: boolean;
  };
  "block.truncated": {
    block_id: string;
    pass_id: string | null;
    hash: string;
    tokens_before: number;
    tokens_after: number;
    handle: string;
    rule: string;
  };
  /** `method`: the cascade's, or `ingest` where it was shortened on arrival; `pass_id` is null then. */
  "block.summarized": {
    block_id: string;
    block_type: BlockType;
    tool_name: string | null;
    pass_id: string | null;
    method: string;
    rule: string;
    /** Content address of what stands there now. */
    hash: string;
    tokens_before: number;
    tokens_after: number;
    tokens_freed: number;
    handle: string;
    /** How many times the content has been folded, this time included. */
    generation: number;
    turn: number;
  };
  "block.evicted": {
    block_id: string;
    unit_id: number;
    pass_id: string;
    block_type: BlockType;
    tool_name: string | null;
    method: EditMethod;
    policy: string;
    score: number;
    score_parts: Record<string, number>;
    rule: string;
    tokens_before: number;
    tokens_after: number;
    tokens_freed: number;
    handle: string;
    /** Content address of what stands there now; null when nothing does. */
    replacement_hash: string | null;
    state: BlockState;
    turn: number;
  };
  "block.merged": {
    block_id: string;
    into_block_id: string;
    pass_id: string;
    policy: string;
    score: number;
    rule: string;
    similarity: number;
    tokens_before: number;
    tokens_after: number;
    tokens_freed: number;
    handle: string;
    replacement_hash: string;
    turn: number;
  };
  /**
   * What had been shortened or had left was asked back. A block that still stood there in another form has its original
   * part again; of one that had left altogether another block holds the content now, which came before this event.
   */
  "block.restored": {
    /** The block that was asked for. */
    block_id: string;
    /** The block that holds it now: itself where it was restored in its place. */
    into_block_id: string;
    /** Content address of what stands there now. */
    hash: string;
    tokens_before: number;
    tokens_after: number;
    turn: number;
  };
  "block.pinned": { block_id: string };
  "block.unpinned": { block_id: string };
  "block.referenced": { block_id: string; turn: number; identifiers: number };
  /** The agent's own history no longer holds these messages: they leave the managed context. */
  "history.diverged": { removed_messages: number; sent_count: number; sent_chain: string };
  /** `cause`: `provider` when the provider no longer reads what stands before its own summary; absent: the agent took it out. */
  "message.removed": { message_id: string; cause?: "provider" };
  /** The provider edited the prompt itself, as its answer or its report says: none of it was our doing. */
  "provider.edited": {
    kind: ProviderEditKind;
    cleared_tool_uses: number;
    cleared_thinking_turns: number;
    /** Tokens that it took out of the prompt; of a compaction those of what it no longer reads, by our count. */
    cleared_input_tokens: number;
    turn: number;
  };
  "history.compacted": {
    pass_id: string;
    strategy: string;
    /** Who wrote the summary of what the pass dropped. */
    summarizer: "none" | "extractive" | "llm";
    cause: Zone | "overflow" | "forecast" | "budget" | "requested" | "window";
    messages_before: number;
    messages_after: number;
    tokens_before: number;
    tokens_after: number;
    target_tokens: number;
    /** Blocks that it changed: one that was edited twice is one. Rows of earlier versions count what was planned as one. */
    edits: number;
    /** Blocks that nothing protected, and their uncalibrated tokens: what the pass could have taken; null: not counted. */
    considered_blocks: number | null;
    considered_tokens: number | null;
    generation: number;
    /** The job whose summary was put in; null: none. */
    job_id: string | null;
    waited_ms: number;
    gate: GateFigures | null;
    /** Figures of a pass half as deep, for comparison. */
    shallower: GateFigures | null;
  };
  /**
   * The lines carried over were chosen anew, within the pass of that id. The messages that hold them now came with
   * `message.added` and `block.added` before this event; a segment that stays as it was keeps its message.
   */
  "ledger.rebuilt": {
    pass_id: string;
    /** Message of the segment that stays from pass to pass, and of the one chosen anew each time; null: none. */
    stable_message_id: string | null;
    fresh_message_id: string | null;
    /** Messages of segments that go. */
    removed_message_ids: string[];
    stable_kept: boolean;
    lines: number;
    /** Hidden lines that were scored. */
    candidates: number;
    /** Tokens of the ledger before and now, and of the messages that came. */
    tokens_before: number;
    tokens_after: number;
    tokens_added: number;
    /** Expected weight of the needs that its lines meet until the next pass. */
    expected_need: number;
    /** Its rows as they stand, the stable segment's first, in their order. */
    entries: LedgerEntry[];
    /** The lowest need among its lines where others were left out; null where none was. */
    cut_off: number | null;
  };
  /** What has left was folded anew into the summary, within the pass of that id. */
  "summary.rewritten": {
    pass_id: string;
    /** The message that holds it now, which came with `message.added` before this event; null: there was no room. */
    message_id: string | null;
    removed_message_id: string | null;
    /** Its text while there is no room for it, so that it is not lost; null where it stands in the context. */
    held: string | null;
    summarizer: "llm" | "extractive";
    /** How many times the summary has been folded. */
    generation: number;
    /** Blocks that were folded into it. */
    passages: number;
    /** Lines that it has now. */
    facts: number;
    tokens_before: number;
    tokens_after: number;
    /** Of the message that came. */
    tokens_added: number;
  };
  /** A model is asked to summarise what the next pass is to drop, or to shorten results. No call waits for it. */
  "compaction.started": {
    job_id: string;
    kind: "history" | "results";
    block_ids: string[];
    /** Hash of what it is made of. */
    inputs: string;
    units: number;
    tokens: number;
    turn: number;
  };
  /** The model's summary is there and was accepted: a later pass puts it in, if its inputs still stand. */
  "summary.prepared": {
    job_id: string;
    /** The accepted summary, by sections. */
    text: string;
    tokens: number;
    model: string;
    input_tokens: number | null;
    output_tokens: number | null;
    seconds: number;
    /** Share of the probes that the summary answers; null: not judged. */
    fidelity: number | null;
  };
  /** A model's shorter texts of tool results are there: a pass uses them as long as the results hold what they held. */
  "results.prepared": {
    job_id: string;
    texts: { block_id: string; part_hash: string; text: string; tokens: number }[];
    /** How many there are, and their tokens. */
    results: number;
    tokens: number;
    model: string;
    input_tokens: number | null;
    output_tokens: number | null;
    seconds: number;
  };
  /** A model gave no summary, or no text of a result, that could be used: the next pass goes without. */
  "summary.failed": { job_id: string; reason: string };
  /** What was asked for is not used: what it was made of has changed, something else came first, or it took too long. */
  "summary.dropped": { job_id: string; reason: string };
  /** A fold was held to what it took out: which of the facts asked for the context still tells. Scores are 0 to 1. */
  "fidelity.evaluated": {
    pass_id: string;
    judge: "lexical" | "llm";
    summarizer: "none" | "extractive" | "llm";
    /** Number of the fold among those that were judged in this session, from 1. */
    generation: number;
    score: number;
    by_type: Partial<Record<ProbeType, number>>;
    /** Facts asked for, and those of them that were kept. */
    probes: number;
    kept: number;
    /** What earlier folds were asked for, asked again: `age` folds ago. */
    curve: readonly { readonly age: number; readonly score: number; readonly probes: number }[];
    floor: number;
    below_floor: boolean;
    /** What later folds are asked for again; empty for the judge `llm`, which judges a fold a second time. */
    kept_probes: readonly KeptProbe[];
  };
  /** The agent wrote a note for itself, new or in the place of the one of that id. */
  "note.written": {
    note_id: string;
    category: NoteCategory;
    importance: NoteImportance;
    text: string;
    /** Tokens of the text, uncalibrated. */
    tokens: number;
    /** The note that it takes the place of: its own id; null when it is new. */
    replaces: string | null;
  };
  "note.removed": { note_id: string };
  /** What is known of the task changed: the agent said so, or wrote a todo list with a tool of its own. */
  "task.updated": {
    version: number;
    source: "agent" | "tool_call";
    update: TaskUpdate;
    /** The tool that wrote the list; null when the agent told it. */
    tool_name: string | null;
    /** Subtasks now, those that are done, and those of them that were not before. */
    subtasks: number;
    done: number;
    newly_done: number;
  };
  /**
   * The standing message was written anew, within the pass of that id: its message came with `message.added` and
   * `block.added` before this event. `bootstrap`: what a window begins with, which says more.
   */
  "standing.rewritten": {
    pass_id: string;
    form: "standing" | "bootstrap";
    /** The message that holds it now; null: there is nothing to say. */
    message_id: string | null;
    removed_message_id: string | null;
    /** Notes shown; notes and lines of the task for which there was no room; rules shown. */
    notes: number;
    left_out: number;
    constraints: number;
    /** Tokens of it before and now, and of the message that came. */
    tokens_before: number;
    tokens_after: number;
    tokens_added: number;
  };
  /** A rule that the context no longer showed was put into the standing message. */
  "constraint.reinserted": {
    pass_id: string;
    /** Who gave it: stated with the task, or said by the user. */
    source: "task" | "user";
    /** Block of the user's message that held it; null for the task's. */
    block_id: string | null;
    text: string;
  };
  "compaction.skipped": { reason: string; gate: GateFigures | null };
  "compaction.failed": { reason: string; tokens_short: number };
  "floor.detected": {
    floor_tokens: number;
    max_tokens: number;
    system_tokens: number;
    tools_tokens: number;
    protected_tokens: number;
    reserve_tokens: number;
  };
  /** `attempt`: the how-manieth of the turn; 0 where an answer was cut because the window was full. */
  "overflow.reported": {
    attempt: number;
    source: "provider_error" | "stop_reason";
    /** What the provider's text was understood as: names of the classifier's own. */
    provider: string;
    kind: string;
    rule: string;
    /** Figures of that text; null: it told none. */
    reported_tokens: number | null;
    reported_limit: number | null;
    /** Uncalibrated estimate of the prompt that was refused; null: not known. */
    estimated_tokens: number | null;
  };
  "overflow.recovered": {
    attempt: number;
    action: "retry" | "cross_window_save";
    tokens_before: number;
    tokens_after: number;
  };
  /** Nothing more was done about the overflow: the agent has no context that the provider would take. */
  "overflow.given_up": {
    attempt: number;
    /** Nothing could be freed any more, or the turn was refused too often. */
    reason: "floor" | "attempts";
    /** Tokens that nothing can free, and the window's. */
    floor_tokens: number;
    max_tokens: number;
  };
  /** What the session knows was written down, for a window or a process to go on from. */
  "checkpoint.saved": {
    checkpoint_id: string;
    window_id: string;
    window_number: number;
    state_version: number;
    reason: CheckpointReason;
    /** Content address of the document. */
    hash: string;
    bytes: number;
    /** Milliseconds since the epoch; seconds that it holds, null: for ever. */
    saved_at: number;
    ttl_seconds: number | null;
    /** null: no task was stated. */
    task_hash: string | null;
  };
  /** A checkpoint that was offered was not taken; nothing of it took effect. */
  "checkpoint.rejected": {
    reason: "malformed" | "foreign" | "expired" | "stale";
    /** As it says of itself; null where it could not be read. */
    offered_window: number | null;
    offered_version: number | null;
    window_number: number;
    state_version: number;
  };
  /** A checkpoint took the place of what the session knew of its task. A new window follows. */
  "checkpoint.restored": {
    checkpoint_id: string;
    /** The session that had saved it. */
    from_session_id: string;
    window_number: number;
    state_version: number;
    state: RestoredState;
  };
  /** The agent told its environment, which was held to what was known of it when the window began. */
  "bootstrap.verified": {
    checkpoint_id: string | null;
    /** What was told and known both, and how much of it was as it was. */
    checks: number;
    passed: number;
    /** Keys of the environment that were not. */
    drifted: readonly string[];
  };
  /** Content that an edit had taken out was needed again within ten turns. */
  "regret.detected": {
    kind: "recall" | "identifier" | "reread";
    block_id: string;
    block_type: BlockType;
    tool_name: string | null;
    /** The identifier that was used; null where the need was another. */
    identifier: string | null;
    /** Who chose the edit: an eviction policy, or `cascade`. */
    policy: string;
    pass_id: string;
    evicted_turn: number;
    turn: number;
    turns_since: number;
  };
  "recall.served": { handle: string; block_id: string; bytes: number };
  /** A subtask was handed to a session of its own, which is opened next. */
  "delegation.opened": {
    delegation_id: string;
    child_session_id: string;
    title: string;
    budget_tokens: number;
    depth: number;
    turn: number;
  };
  /** The child's result came back; the whole of it is behind the handle. */
  "delegation.closed": {
    delegation_id: string;
    child_session_id: string;
    status: DelegationOutcome;
    /** Address and handle of the result as it came; null when there was none. */
    result_hash: string | null;
    handle: string | null;
    /** Tokens of the result, and of what is handed to the parent of it. */
    tokens_before: number;
    tokens_after: number;
    /** Tokens that the child took in, and its turns; null when it was never opened. */
    child_tokens: number | null;
    child_turns: number | null;
    /** child_tokens / tokens_after; null where one of them is missing. */
    ratio: number | null;
    turn: number;
  };
  "alert.raised": { alert: string; severity: Severity; summary: string; turn: number };
  "alert.resolved": { alert: string; severity: Severity; summary: string; turn: number };
  "config.reloaded": { successful: boolean; detail: string };
}

export type EventType = keyof EventData;

/** An event of the core: its type and data, before the journal gives it a place and a time. */
export type CoreEvent = { [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType];

/** A committed event as observers see it. */
export type PublishedEvent = CoreEvent & {
  /** Rises by one an event over the life of the daemon process and across restarts; the resume cursor. */
  readonly sequence: number;
  readonly tenant: string;
  /** null for events of the daemon itself. */
  readonly session: string | null;
  /** Wall time, ms since the epoch. */
  readonly at: number;
  /** Labels of the session, so that observers need no look-up. */
  readonly labels: { readonly agent: string; readonly profile: string; readonly model: string } | null;
  readonly traceparent?: string;
};

/** An observer of committed events. It must return at once and cannot break the emitter. */
export interface Observer {
  readonly name: string;
  observe(events: readonly PublishedEvent[]): void;
}
