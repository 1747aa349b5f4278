import { assembleManager, type ManagerParts } from "../assembly.ts";
import type { AnyCommand } from "../manager/commands/command.ts";
import { LearnedModels } from "../manager/learned-models.ts";
import type { ContextManager } from "../manager/manager.ts";
import { Publisher } from "../manager/publisher.ts";
import type { JsonObject } from "../model/json.ts";
import { MemoryJournal } from "../store/memory/memory-journal.ts";

const ID = "managed";
const CALLER = { tenant: "managed", traceparent: null };

/** One session on a manager of its own, over a journal in memory: nothing else sees it, and it sees nothing else. */
export class ManagedSession {
  readonly #learned = new LearnedModels();
  readonly #manager: ContextManager;

  constructor(parts: Omit<ManagerParts, "journal" | "publisher" | "learned">) {
    const onFault = (observer: string, error: unknown) => {
      throw new Error(`the observer ${observer} failed`, { cause: error });
    };
    this.#manager = assembleManager({
      ...parts,
      journal: new MemoryJournal(),
      publisher: new Publisher({ lastRow: 0 }, { observers: [], onFault }),
      learned: this.#learned,
    });
  }

  /** From the next call on, counts of the model are taken times the factor. */
  calibrate(model: string, factor: number): void {
    this.#learned.calibrate(CALLER.tenant, model, factor);
  }

  /** One call as an agent makes it, but for the session's id. Throws what the manager throws. */
  async call(command: AnyCommand, params: JsonObject): Promise<unknown> {
    const parsed = command.params.parse({ session_id: ID, ...params }) as JsonObject;
    return this.#manager.execute(command, CALLER, parsed);
  }

  async end(): Promise<void> {
    await this.#manager.stop();
  }
}
