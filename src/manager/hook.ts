import type { ConfiguredStep } from "../compression/index.ts";
import type { SessionSettings } from "../config/index.ts";
import type { Scorer } from "../eviction/index.ts";
import type { HealthRule } from "../health/index.ts";
import type { NeedModel } from "../ledger/index.ts";
import type { MessageFormat } from "../messages/index.ts";
import { chain } from "../messages/index.ts";
import type { BlockType, ToolUse } from "../model/block.ts";
import { contentHash } from "../model/content-hash.ts";
import type { ContextdError } from "../model/errors.ts";
import type { CoreEvent, EventData, EventType } from "../model/events.ts";
import type { JsonObject } from "../model/json.ts";
import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import type { Content } from "../store/journal.ts";
import type { ModelEntry, TokenCount } from "../tokens/index.ts";
import type { Analysis } from "./analysis.ts";
import { apply } from "./apply.ts";
import type { SummaryTask } from "./jobs/summary-job.ts";
import type { LearnedWindow } from "./learned-models.ts";
import { encodePart } from "./part-codec.ts";
import type { Session } from "./session.ts";

/** What the core is given to decide with. Synchronous and without I/O, so that replay runs the same. */
export interface Services {
  readonly now: number;
  readonly settings: SessionSettings;
  readonly model: ModelEntry;
  readonly format: MessageFormat;
  readonly scorer: Scorer;
  /** The steps that a pass tries, as the settings order them. */
  readonly cascade: readonly ConfiguredStep[];
  /** The health rules that are on. */
  readonly healthRules: readonly HealthRule[];
  /** Whether a model can be asked for summaries now. */
  readonly summariesAvailable: boolean;
  readonly needModel: NeedModel;
  readonly analysis: Analysis;
  /** Learned factor of reported over estimated tokens of the session's model. */
  readonly calibration: number;
  /** The limit learned of the session's model, while it is believed. */
  readonly learnedWindow: LearnedWindow | null;
  readonly profile: string;
  /** Tokens of a part in the model's encoding; parts over the sync limit were counted before the hook. */
  countPart(part: Part): TokenCount;
  countText(text: string): number;
  /** Tokens of a message beside its parts. */
  messageOverhead(role: Role, envelope: JsonObject): number;
}

/**
 * One call being decided. A decider reads `session`, and emits events; each is applied at once, so that the
 * next decider sees its effect. All events of the call become one journal row. A decider that refuses must
 * throw before it has emitted anything; if one throws later the session is read back from the journal.
 */
export class Hook {
  readonly session: Session;
  services: Services;
  readonly events: CoreEvent[] = [];
  readonly contents: Content[] = [];
  /** Work that is begun once the call is committed, and comes back as a call of its own. */
  readonly effects: SummaryTask[] = [];
  /** Why the call is refused although it is stored: what it told is an event. null: it is not. */
  refusal: ContextdError | null = null;
  /** Time that the call waited for a summary under way, ms. */
  waitedMs = 0;
  readonly #parts = new Map<string, Part>();

  constructor(session: Session, services: Services) {
    this.session = session;
    this.services = services;
  }

  emit<T extends EventType>(type: T, data: EventData[T]): void {
    const event = { type, data } as unknown as CoreEvent;
    const { analysis } = this.services;
    analysis.before(event);
    apply(this.session, event, (hash) => {
      const part = this.#parts.get(hash);
      if (!part) throw new Error(`event ${type} names content that was not stored with it`);
      return part;
    });
    this.events.push(event);
    analysis.after(event);
  }

  /** Files a part as content of this call and answers its address. */
  store(part: Part): string {
    const body = encodePart(part);
    const hash = contentHash(body);
    if (!this.#parts.has(hash)) this.contents.push({ hash, body });
    this.#parts.set(hash, part);
    return hash;
  }

  /** Files a text that is no part of the context and answers its address. */
  storeText(body: string): string {
    const hash = contentHash(body);
    if (!this.contents.some((content) => content.hash === hash)) this.contents.push({ hash, body });
    return hash;
  }

  /** Decides with some services in the place of others. */
  with<T>(change: Partial<Services>, decide: () => T): T {
    const { services } = this;
    this.services = { ...services, ...change };
    try {
      return decide();
    } finally {
      this.services = services;
    }
  }

  addBlock(messageId: string, unitId: number, type: BlockType, part: Part, tool: ToolUse | null): string {
    const counted = this.services.countPart(part);
    const id = `b${this.session.nextBlock}`;
    this.emit("block.added", {
      block_id: id,
      message_id: messageId,
      unit_id: unitId,
      type,
      turn: this.session.turn,
      tool,
      hash: this.store(part),
      tokens: counted.tokens,
      approximate: counted.approximate,
    });
    return id;
  }
}

/** Chain of what the agent holds when its last message grows by one part. */
export function extendedChain(session: Session, digest: string): string {
  return chain(session.sentChainBefore, digest);
}
