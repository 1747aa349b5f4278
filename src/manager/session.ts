import { type BudgetStates, type BurnState, initialBurn } from "../budget/index.ts";
import { type BreakerState, initialBreaker } from "../compression/index.ts";
import { type Generations, initialGenerations } from "../fidelity/index.ts";
import { type HealthState, initialHealth } from "../health/index.ts";
import { type Block, type BlockType, COMPONENTS, type Component } from "../model/block.ts";
import type {
  CheckpointReason,
  DelegationOutcome,
  EditMethod,
  LedgerEntry,
  Parent,
  Severity,
  Task,
  WindowCause,
} from "../model/events.ts";
import type { JsonObject } from "../model/json.ts";
import type { Message, MessageFormatName } from "../model/message.ts";
import type { SessionKey } from "../model/session-key.ts";
import type { Unit } from "../model/unit.ts";
import type { WindowSource } from "../model/window-source.ts";
import type { Reading, Status } from "../model/zone.ts";
import { EMPTY_BOOK, initialTask, type NoteBook, type TaskState } from "../notes/index.ts";
import { initialPressure, type PressureState } from "../pressure/index.ts";
import { initialRegret, type RegretState } from "../regret/index.ts";

/** A recall of a block's content. */
export interface Recall {
  readonly blockId: string;
  /** Number of the last block that had come in by then. */
  readonly after: number;
}

/** A message as the manager holds it. */
export interface ManagedMessage extends Message {
  /** Identity of the message as the agent holds it: how a full history recognises it. */
  digest: string;
  /** What it showed before a block of it was restored: an agent may hold it as that still. Absent: none was. */
  shownBefore?: readonly string[];
  /** Its blocks have all been dropped; it leaves the list at the end of the pass. */
  gone: boolean;
}

/** What is remembered of a block that was edited or dropped: enough to explain it and to give it back. */
export interface EditRecord {
  readonly blockId: string;
  readonly unitId: number;
  readonly hash: string;
  readonly handle: string;
  /** Of a call or a result. */
  readonly callId: string | null;
  readonly type: BlockType;
  readonly toolName: string | null;
  /** Turn of arrival and turn of the edit. */
  readonly arrived: number;
  readonly turn: number;
  readonly method: EditMethod;
  readonly passId: string | null;
  readonly policy: string | null;
  readonly score: number | null;
  readonly scoreParts: Readonly<Record<string, number>> | null;
  readonly rule: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly intoBlockId?: string;
}

export interface Change {
  readonly revision: number;
  readonly messageId: string;
  /** The message came with this revision. */
  readonly added: boolean;
}

/** The last edit pass in figures, for lists. */
export interface LastEdit {
  readonly turn: number;
  readonly tokensFreed: number;
  readonly strategy: string;
}

/** A subtask that was handed to a session of its own. */
export interface Delegation {
  readonly childSessionId: string;
  readonly title: string;
  readonly status: "open" | DelegationOutcome;
  readonly budgetTokens: number;
  readonly openedTurn: number;
  /** The result as it came; null while it is open, and where there was none. */
  readonly result: { readonly hash: string; readonly handle: string; readonly tokens: number } | null;
  readonly closedTurn: number | null;
}

/** An alert that fires. */
export interface ActiveAlert {
  readonly severity: Severity;
  readonly summary: string;
  readonly since_turn: number;
}

/** The messages that hold the lines carried over; null: there is no such segment. */
export interface Ledger {
  readonly stable: string | null;
  readonly fresh: string | null;
  /** Sources of the stable segment's rows, as they were known when it was chosen. Absent: not known. */
  readonly stableEntries?: readonly LedgerEntry[];
}

/** The summary of what has left, as the last pass that folded it left it. */
export interface HistorySummary {
  /** The message that holds it; null: there was no room. */
  readonly messageId: string | null;
  /** Its text while no message holds it. */
  readonly held: string | null;
  readonly passId: string;
  readonly summarizer: "llm" | "extractive";
  /** How many times it has been folded. */
  readonly generation: number;
}

/** Work of a model for the next pass, made while the agent goes on. */
export interface SummaryJob {
  readonly id: string;
  /** A summary of what the pass is to drop, or a shorter text for each of some tool results. */
  readonly kind: "history" | "results";
  /** Blocks that it tells of: whole units in the order of the context, or the results. */
  readonly blockIds: readonly string[];
  /** Hash of what these blocks held and of the summary that it goes on from: it tells whether the inputs still stand. */
  readonly inputs: string;
  readonly turn: number;
  /** A job for results is there only while it runs. */
  readonly status: "running" | "ready" | "failed";
  /** The accepted summary's text once it is ready. */
  readonly text: string | null;
}

/** A model's text for a tool result. */
export interface PreparedText {
  /** What the result held then. */
  readonly partHash: string;
  /** null: the model was asked, and gave none that could be used. */
  readonly text: string | null;
}

/** Prepared texts that are kept; the newest stay. */
export const TEXTS_KEPT = 64;

/** How faithful the folds of a session were. */
export interface Fidelity {
  readonly generations: Generations;
  /** The last fold that was judged; null before the first. */
  readonly last: {
    readonly passId: string;
    readonly generation: number;
    readonly score: number;
    readonly judge: string;
  } | null;
}

/** What is known of a checkpoint without its document. */
export interface Checkpoint {
  /** `c1`, `c2`, … in their order. */
  readonly id: string;
  readonly windowId: string;
  readonly windowNumber: number;
  readonly stateVersion: number;
  readonly turn: number;
  readonly reason: CheckpointReason;
  /** Content address of the document. */
  readonly hash: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
  /** null: it holds for ever. */
  readonly ttlSeconds: number | null;
}

/** Checkpoints of a session that can be asked for; the newest stay. */
export const CHECKPOINTS_KEPT = 50;

/** A rule that a user gave in a message that has left the context. */
export interface UserRule {
  readonly text: string;
  /** Block of the message; null: it was said before the checkpoint that the session goes on from. */
  readonly blockId: string | null;
}

/** Rules of the user that are kept; the newest stay. */
export const RULES_KEPT = 50;

/** Message id under which the tool definitions stand: they are no message on the wire. */
export const TOOLS_MESSAGE_ID = "tools";

/**
 * One agent task and its managed context: a fold over the session's events. Only `apply` and `closeBatch`
 * change it. It holds live blocks alone; what left the context is an EditRecord and its content's address.
 */
export interface Session {
  readonly key: SessionKey;
  agent: string;
  profile: string;
  model: string;
  format: MessageFormatName;
  /** The session's own settings over its profile's, as given; the resolved ones are looked up when needed. */
  ownSettings: JsonObject;
  /** As the agent stated it when it opened the session. */
  task: Task | null;
  /** What is known of it now. */
  taskState: TaskState;
  notes: NoteBook;
  canRecall: boolean;
  closed: boolean;
  windowId: string;
  windowNumber: number;
  /** Turn in which the window was opened, and why; of the first one 0 and `session`. */
  windowOpened: { readonly turn: number; readonly cause: WindowCause };
  /** Rises with every change of what a checkpoint holds; 0 in a session that nothing was told to. */
  stateVersion: number;
  /** The newest, oldest first. */
  checkpoints: readonly Checkpoint[];
  checkpointsSaved: number;
  /** What the agent's environment was when the window began or the session was resumed; null: nothing is to be held to it. */
  expectedEnvironment: { readonly checkpointId: string | null; readonly environment: JsonObject } | null;
  maxTokens: number;
  windowGuessed: boolean;
  windowSource: WindowSource;
  turn: number;
  turnOpen: boolean;
  overflowAttempts: number;
  revision: number;
  /** Position in the journal: rows applied so far. */
  position: number;
  nextBlock: number;
  nextMessage: number;
  nextUnit: number;
  nextPass: number;
  messages: ManagedMessage[];
  readonly messageById: Map<string, ManagedMessage>;
  readonly tools: Block[];
  readonly blocks: Map<string, Block>;
  readonly units: Map<number, Unit>;
  /** Call id -> unit, for live calls. */
  readonly unitOfCall: Map<string, number>;
  /** Tokens of all blocks and messages, before calibration. */
  rawTokens: number;
  readonly componentTokens: Record<Component, number>;
  anchor: { tokens: number; rawTokens: number; source: "model_reported" | "anchored" } | null;
  pressure: PressureState;
  reading: Reading | null;
  status: Status;
  burn: BurnState;
  /** Components over a limit, as last told. */
  budgetStates: BudgetStates;
  /** Raw total at the end of the last measured turn: growth is measured from it. */
  rawAtLastTurn: number;
  /** Tokens freed since then by component, so that growth is what was added. */
  freedSinceLastTurn: Partial<Record<Component, number>>;
  sentCount: number;
  sentChain: string;
  /** `sentChain` before its last message, which may still grow by a result. */
  sentChainBefore: string;
  /** Digests of the agent's messages that a pass took out whole: the agent's own list may still show them. */
  readonly departed: Set<string>;
  readonly edits: Map<string, EditRecord>;
  readonly editByHandle: Map<string, EditRecord>;
  /** What lately left the context, what was needed again, and how often. */
  regret: RegretState;
  ledger: Ledger;
  summary: HistorySummary | null;
  job: SummaryJob | null;
  /** Jobs begun. */
  jobs: number;
  /** By block; an entry leaves with what the block held. */
  preparedTexts: Readonly<Record<string, PreparedText>>;
  fidelity: Fidelity;
  /** The message that keeps rules, task and notes in view; null: there is none. */
  standing: string | null;
  /** The newest rules of the user that the context would no longer show, oldest first. */
  rules: readonly UserRule[];
  /** Blocks that hold what was brought back of ones that had left, by their ids: the block that it was. */
  broughtBack: Readonly<Record<string, string>>;
  /** Recalls in their order; those of one block with nothing new in between count as one. */
  recalls: readonly Recall[];
  changes: Change[];
  /** A message came whose place among the others changes how it is rendered: patches cannot tell that. */
  unpatchable: boolean;
  /** Messages changed by the batch that is being applied, and whether it added them. */
  dirty: Map<string, boolean>;
  recentTokens: number[];
  lastEdit: LastEdit | null;
  lastEditTurn: number;
  tokensFreedTotal: number;
  breaker: BreakerState;
  floorReported: boolean;
  /**
   * Raw tokens that the last compaction could not free, those of the step that was under way not counted; null when none
   * has failed since something changed that may let it succeed.
   */
  unfreeable: number | null;
  /** What is known of its health: see health/. */
  health: HealthState;
  /** By name, in the order in which they were raised. */
  alerts: Readonly<Record<string, ActiveAlert>>;
  /** The delegation that this session works for. */
  parent: Parent | null;
  /** By id, in their order. */
  delegations: Readonly<Record<string, Delegation>>;
  /** Raw tokens that ever came in: what the session worked through. */
  tokensArrived: number;
  lastSeen: number;
  /** Blocks up to this number had their references counted when the last snapshot was taken. */
  analysedThrough: number;
  /** Position of the last snapshot; 0 before the first. */
  snapshotPosition: number;
}

export function emptyComponents(): Record<Component, number> {
  return Object.fromEntries(COMPONENTS.map((component) => [component, 0])) as Record<Component, number>;
}

export function newSession(key: SessionKey): Session {
  return {
    key,
    agent: "",
    profile: "",
    model: "",
    format: "openai",
    ownSettings: {},
    task: null,
    taskState: initialTask(null),
    notes: EMPTY_BOOK,
    canRecall: false,
    closed: false,
    windowId: "",
    windowNumber: 0,
    windowOpened: { turn: 0, cause: "session" },
    stateVersion: 0,
    checkpoints: [],
    checkpointsSaved: 0,
    expectedEnvironment: null,
    maxTokens: 0,
    windowGuessed: false,
    windowSource: { from: "session", at: null },
    turn: 0,
    turnOpen: false,
    overflowAttempts: 0,
    revision: 0,
    position: 0,
    nextBlock: 1,
    nextMessage: 1,
    nextUnit: 1,
    nextPass: 1,
    messages: [],
    messageById: new Map(),
    tools: [],
    blocks: new Map(),
    units: new Map(),
    unitOfCall: new Map(),
    rawTokens: 0,
    componentTokens: emptyComponents(),
    anchor: null,
    pressure: initialPressure(),
    reading: null,
    status: "healthy",
    burn: initialBurn(),
    budgetStates: {},
    rawAtLastTurn: 0,
    freedSinceLastTurn: {},
    sentCount: 0,
    sentChain: "",
    sentChainBefore: "",
    departed: new Set(),
    edits: new Map(),
    editByHandle: new Map(),
    regret: initialRegret(),
    ledger: { stable: null, fresh: null },
    summary: null,
    job: null,
    jobs: 0,
    preparedTexts: {},
    fidelity: { generations: initialGenerations(), last: null },
    standing: null,
    rules: [],
    broughtBack: {},
    recalls: [],
    changes: [],
    unpatchable: false,
    dirty: new Map(),
    recentTokens: [],
    lastEdit: null,
    lastEditTurn: 0,
    tokensFreedTotal: 0,
    breaker: initialBreaker(),
    floorReported: false,
    unfreeable: null,
    health: initialHealth(),
    alerts: {},
    parent: null,
    delegations: {},
    tokensArrived: 0,
    lastSeen: 0,
    analysedThrough: 0,
    snapshotPosition: 0,
  };
}

/** The unit whose tool calls wait for results, or null. Only the newest assistant message can. */
export function pendingUnit(session: Session): Unit | null {
  for (let index = session.messages.length - 1; index >= 0; index--) {
    const message = session.messages[index] as ManagedMessage;
    if (message.role !== "assistant") continue;
    const first = message.blocks[0];
    const unit = first ? session.units.get(first.unitId) : undefined;
    return unit && unit.pendingCalls.size > 0 ? unit : null;
  }
  return null;
}

/** What the agent tells of its environment next is held to what is known of it now. */
export function expectEnvironment(session: Session, checkpointId: string | null): void {
  const { environment } = session.taskState;
  session.expectedEnvironment = Object.keys(environment).length === 0 ? null : { checkpointId, environment };
}
